# frozen_string_literal: true

require_relative "native_case"
require "open3"
require "timeout"

module Spate
  # The GVL is released while the core works, and the work can be cancelled.
  class NativeReleaseTest < NativeCase
    # A gem so large that other threads run meanwhile. It is created once.
    def self.large
      @large ||= begin
        folder = Dir.mktmpdir("spate-test-")
        Minitest.after_run { FileUtils.rm_rf(folder) }
        maker = new("large")
        File.join(folder, "large.gem").tap { |path| FileUtils.mv(maker.send(:gem_of, maker.send(:many, 1500)), path) }
      end
    end

    def teardown
      Native.cancel = false
      super
    end

    def test_other_threads_run_meanwhile
      archive = self.class.large
      here = -> { store.unpack(archive, tree: tree) }
      [here, -> { Thread.new(&here).value }].each do |work|
        turns = 0
        running = true
        ticker = Thread.new { (turns += 1) && sleep(0.001) while running }
        Thread.pass until turns.positive?
        before = turns
        20.times { turns - before > 3 ? break : work.call } # one run may be too short
        running = false
        ticker.join
        assert_operator turns - before, :>, 3
      end
    end

    def test_cancel_ends_running_and_new_work
      Native.cancel = true
      assert Native.cancel
      made = tree
      error = assert_raises(Native::Error) { store.unpack(gem_of(many(40)), tree: made) }
      assert_equal :cancelled, error.status
      refute_path_exists made
      Native.cancel = false
      assert_equal 40, store.unpack(gem_of(many(40)), tree: made).count
    end

    def test_cancel_ends_linking_too
      manifest = package(many(3))
      Native.cancel = true
      assert_equal :cancelled, store.link([[fresh("tree"), [manifest], :hard]]).first.status
    end

    # With only one Ruby thread, waiting ends in a different way. The work must end before its objects are freed.
    def test_interrupt_waits_for_work_that_ignores_it
      out, status = Open3.capture2e(RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}",
                                    "-e", <<~'RUBY')
                                      require "spate"
                                      text = "x" * (200 << 20)
                                      Spate::Native.sha256("")
                                      Process.spawn("sleep 0.1; kill -INT #{$$}")
                                      begin
                                        Spate::CLI::Signals.guard { Spate::Native.sha256(text) }
                                      rescue Interrupt
                                        puts "interrupted"
                                      end
                                    RUBY
      assert_equal ["interrupted\n", true], [out, status.success?]
    end

    def test_a_trap_runs_on_the_main_thread_and_may_cancel
      archive = self.class.large
      before = trap("USR1") { Native.cancel = true }
      sender = Thread.new do
        sleep 0.02
        Process.kill("USR1", Process.pid)
      end
      made = tree
      error = assert_raises(Native::Error) { 20.times { store.unpack(archive, tree: made) && FileUtils.rm_rf(made) } }
      assert_equal :cancelled, error.status
      refute_path_exists made
    ensure
      sender&.join
      trap("USR1", before || "DEFAULT")
    end

    def test_trap_that_does_not_raise_changes_nothing
      archive = self.class.large
      seen = 0
      before = trap("USR1") { seen += 1 }
      running = true
      sender = Thread.new { (sleep(0.005) && Process.kill("USR1", Process.pid)) while running }
      3.times { assert_equal 1500, store.unpack(archive, tree: tree).count }
      running = false
      sender.join
      assert_operator seen, :>, 0
    ensure
      trap("USR1", before || "DEFAULT")
    end

    def test_exception_ends_the_work_and_leaves_no_files
      archive = self.class.large
      made = tree
      interrupted = Class.new(Exception) # rubocop:disable Lint/InheritException -- rm_rf rescues a StandardError
      here = lambda do
        Timeout.timeout(0.03, interrupted) { loop { store.unpack(archive, tree: made) && FileUtils.rm_rf(made) } }
      end
      [here, -> { quiet_thread(&here).value }].each do |work|
        assert_raises(interrupted, &work)
        FileUtils.rm_rf(made) # the interrupt may arrive between two runs
      end
      assert_equal 1500, store.unpack(archive, tree: made).count
    end

    def test_killed_thread_ends_its_work
      archive = self.class.large
      thread = Thread.new { loop { store.unpack(archive, tree: tree).close } }
      sleep 0.05
      thread.kill
      assert thread.join(10)
    end

    def test_threads_share_a_store
      archives = Array.new(6) { |i| gem_of(many(60) + [["own", i.to_s]]) }
      trees = archives.map { tree }
      threads = archives.zip(trees).map { |archive, made| Thread.new { store.unpack(archive, tree: made).count } }
      assert_equal [61] * 6, threads.map(&:value)
      trees.each_with_index { |made, i| assert_equal i.to_s, File.read("#{made}/own") }
    end

    def test_a_forked_child_works
      archive = gem_of(many(64))
      store.unpack(archive, tree: tree)
      store # its threads run in the parent process
      child = fork do
        Timeout.timeout(20) { exit!(store.unpack(archive, tree: tree).parallel? ? 7 : 1) }
      end
      Process.wait(child)
      assert_equal 7, $?.exitstatus
    end

    private

    def quiet_thread(&work)
      Thread.new(&work).tap { |thread| thread.report_on_exception = false }
    end
  end
end
