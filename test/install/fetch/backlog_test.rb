# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

# Two owners share connections and unpacking threads. Each receives the results of its own jobs.
class BacklogTest < Minitest::Test
  Backlog = Spate::Install::Fetch::Backlog

  # An owner whose jobs are names. hold: a queue; each unpacking waits for an item in it.
  class Owner
    attr_reader :rank, :unpacked, :failures, :threads

    def initialize(rank: 0, local: [], broken: [], first: [], hold: nil)
      @rank = rank
      @local = local
      @broken = broken
      @first = first
      @hold = hold
      @unpacked = Thread::Queue.new
      @failures = Thread::Queue.new
      @threads = Thread::Queue.new
      @closed = Thread::Queue.new
    end

    def local(job) = @local.include?(job) ? "at hand" : nil

    def obtain(job)
      @threads << Thread.current
      raise IOError, job if @broken.include?(job)

      "fetched"
    end

    def lane(job, _archive) = @first.include?(job) ? 0 : 2 + @rank

    def unpack(job, archive)
      @hold&.pop
      @unpacked << [job, archive]
    end

    def failed(job, error) = @failures << [job, error]
    def close = @closed << true
    def closed? = !@closed.empty?

    def take(count) = Array.new(count) { @unpacked.pop }
  end

  def teardown
    @owners&.each { |owner| @backlog.remove(owner) }
  end

  def backlog(*owners, **options)
    @owners = owners
    @backlog = Backlog.new(unpacking: 1, **options)
  end

  def test_each_job_is_fetched_and_unpacked
    owner = Owner.new(local: ["b"], broken: ["c"])
    backlog(owner).add(owner, %w[a b c])

    assert_equal [%w[a fetched], ["b", "at hand"]], owner.take(2).sort
    job, error = owner.failures.pop

    assert_equal ["c", IOError], [job, error.class]
    assert_nil @backlog.add(owner, [])
  end

  # The only unpacking thread works on the first job while the others are added.
  def test_urgent_jobs_come_first_then_the_owner_of_the_lower_rank
    hold = Thread::Queue.new
    gems = Owner.new(local: %w[first g1 g2 urgent], first: ["urgent"], hold: hold)
    packages = Owner.new(rank: 1, local: %w[p1 p2 p3], first: ["p3"], hold: hold)
    order = Thread::Queue.new
    [gems, packages].each { |owner| owner.instance_variable_set(:@unpacked, order) }
    backlog(gems, packages).add(gems, ["first"])
    Thread.pass until hold.num_waiting == 1
    @backlog.add(packages, %w[p1 p2 p3])
    @backlog.add(gems, %w[g1 g2 urgent])
    7.times { hold << :go }

    assert_equal %w[first p3 urgent g1 g2 p1 p2], Array.new(7) { order.pop.first }
  end

  def test_owners_share_the_connections
    gems = Owner.new
    packages = Owner.new(rank: 1)
    backlog(gems, packages, connections: 3)
    50.times { |number| [gems, packages].each { |owner| @backlog.add(owner, [number.to_s]) } }
    [gems, packages].each { |owner| owner.take(50) }
    threads = [gems, packages].flat_map { |owner| Array.new(50) { owner.threads.pop } }.uniq

    assert_includes 1..3, threads.size
  end

  # Threads start on demand and end with the last owner.
  def test_threads_start_and_end
    before = Thread.list
    owner = Owner.new(local: ["a"])
    backlog(owner)

    assert_equal before, Thread.list
    2.times do
      @backlog.add(owner, ["a"])
      owner.take(1)

      assert_equal 1, (Thread.list - before).size, "a local archive needs no connection"
      @backlog.remove(owner)

      assert_equal before, Thread.list
      assert_predicate owner, :closed?
    end
  end

  # A failed owner leaves: its waiting jobs are dropped, and the other owner is not affected.
  def test_leaving_owner_drops_its_jobs
    hold = Thread::Queue.new
    gems = Owner.new(local: %w[a b c], hold: hold)
    packages = Owner.new(rank: 1, local: %w[p])
    backlog(gems, packages)
    @backlog.add(gems, %w[a b c])
    @backlog.add(packages, %w[p])
    Thread.pass until hold.num_waiting == 1
    leaving = Thread.new { @backlog.remove(gems) }
    Thread.pass until leaving.status == "sleep"
    hold << :go
    leaving.join

    assert_equal "p", packages.take(1).first.first
    assert_equal "a", gems.take(1).first.first
    assert_empty gems.unpacked, "running jobs finish, and no other job starts"
    assert_equal [true, false], [gems.closed?, packages.closed?]
  end

  # An interrupt does not wait for jobs that hang.
  def test_last_owner_ends_running_jobs
    hold = Thread::Queue.new
    gems = Owner.new(local: %w[a], hold: hold)
    packages = Owner.new(rank: 1, local: %w[p], hold: hold)
    backlog(gems, packages)
    @backlog.add(gems, %w[a])
    @backlog.add(packages, %w[p])
    Thread.pass until hold.num_waiting == 1
    leaving = Thread.new { @backlog.remove(gems) }
    Thread.pass until leaving.status == "sleep"
    @backlog.remove(packages)

    assert leaving.join(5), "the first one waits no longer"
    assert_empty gems.failures
  end

  def test_new_work_starts_after_the_end
    owner = Owner.new
    backlog(owner).remove(owner)
    @backlog.add(owner, ["a"])

    assert_equal [%w[a fetched]], owner.take(1)
  end

  def test_every_error_is_reported
    owner = Owner.new
    owner.define_singleton_method(:unpack) { |*| raise NotImplementedError, "no such thing" }
    backlog(owner).add(owner, ["a"])

    assert_instance_of NotImplementedError, owner.failures.pop.last
  end
end

# Garbage collection is disabled until there is garbage. Runs in a child process, because this process has allocated
# many objects.
class BacklogGarbageTest < Minitest::Test
  def off_after?(work)
    program = "require 'spate'; GC.disable; #{work}; Spate::Install::Fetch::Backlog.look_for_garbage; print GC.disable"
    output, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../../lib", __dir__)}",
                                     "-e", program)
    assert_predicate status, :success?, output
    output == "true"
  end

  def test_small_run_does_not_enable_garbage_collection
    assert off_after?("1000.times { Object.new }")
  end

  def test_many_objects_enable_garbage_collection
    refute off_after?("500_000.times { Object.new }")
  end

  def test_many_bytes_enable_garbage_collection
    refute off_after?("40.times { 'x' * (1 << 20) }")
  end
end
