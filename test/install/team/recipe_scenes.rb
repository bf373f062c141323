# frozen_string_literal: true

# What each recipe must achieve. The including class defines
#
#   job(branch, key: nil, writer: nil)
#
# which runs a job and returns an object with `said` (see CI::Machine), or CI::Failed. key (PEM) and writer
# ("user:password") are the project's secrets, which the service passes only to jobs of main. A fork is a separate
# project if the service builds the fork's own main, otherwise a branch without secrets.
module RecipeScenes
  def main(**options, &) = job("main", key: @key.to_pem, writer: CiCase::WRITER, **options, &)

  # A job on main, a job without secrets, and a job after a change of a gem.
  def test_build_of_main_is_shared_with_all_jobs
    first = built(main)
    before = sent
    assert_equal 6, before.size, "two archives, two builds, two documents"
    assert_equal first, built(job("theirs"))
    assert_equal before, sent, "a fork sends nothing"
    return if brief?

    change
    second = built(main)
    assert_equal [true, false], second.zip(first).map { |now, before_it| now == before_it }
    assert_equal 9, sent.size
  end

  def brief? = false

  def change
    extension("beta", "1.1")
    @repository = repository("changed", "alpha", "beta")
  end

  # For slow recipes: tests a change of one gem with --full only.
  module Brief
    def brief? = !ENV["SPATE_TEST_FULL"]
  end

  # A fork signs with a key of its own. No job of the project may use its builds.
  module Attack
    def test_a_fork_with_a_key_of_its_own
      own = { key: Spate::RemoteCache::Trust::PrivateKey.generate.to_pem, writer: "me:guessed" }
      @repository = repository("alone", "alpha")
      node(open: true)
      foreign = built(job("main", **own))
      assert_equal 3, sent.size
      mine = built(main)
      refute_equal foreign, mine
      assert_equal mine, built(job("topic"))
    end
  end

  # Slower scenes.
  module Full
    def test_another_branch_changes_a_gem
      first = built(main)
      change
      before = sent
      topic = built(job("topic"))
      assert_equal [true, false], topic.zip(first).map { |now, before_it| now == before_it }
      assert_equal before, sent, "a branch sends nothing"
      refute_equal topic, second = built(main)
      assert_equal second, built(job("topic"))
    end

    def test_a_fork_without_the_password
      own = { key: Spate::RemoteCache::Trust::PrivateKey.generate.to_pem, writer: "me:guessed" }
      @repository = repository("alone", "alpha")
      job("main", **own)
      assert_empty sent
    end

    def test_a_new_key
      @repository = repository("alone", "alpha")
      first = built(main)
      @key = Spate::RemoteCache::Trust::PrivateKey.generate
      @trusted += ",#{@key.public_key("ci2")}"
      assert_equal first, built(main)
      @trusted = @trusted.split(",").last
      refute_equal first, second = built(main)
      assert_equal second, built(job("topic"))
    end

    def test_a_job_that_is_killed_while_it_sends
      @repository = repository("alone", "alpha")
      held = CI::HeldUploads.new(@node.url).start
      address, @address = @address, "#{held.url(host: CiCase::HOST)}spate"
      script = nil
      first = Thread.new { held.waiting.pop.tap { Process.kill(:KILL, -script) } }
      killed = main { |pid| script = pid }
      @address = address
      assert_kind_of CI::Failed, killed
      assert_empty Dir.glob("#{@cache}/ac/*")
      assert_equal built(main), built(job("topic"))
      build = !first.value.include?("\nkind check\n")
      assert_equal build ? 4 : 3, sent.size, "one more blob if its build was being sent"
    ensure
      held&.stop
    end
  end

  # For a CI cache that keeps the bundle but not the store.
  module KeptBundle
    def test_an_empty_store_beside_a_bundle
      @repository = repository("alone", "alpha")
      first = built(main)
      before = sent
      @kept_bundle = true
      assert_equal first, built(main)
      assert_equal before, sent
    end
  end
end
