# frozen_string_literal: true

require_relative "exec_case"

module Spate
  # The program must not notice the builder that its boot starts.
  class UnseenTest < ExecCase
    # The first fork ends the boot, which starts the builder.
    def test_builder_is_invisible_to_wait_and_signals
      program = <<~'RUBY'
        signals = 0
        trap(:CHLD) { signals += 1 }
        system("exit 3")
        started = spawn("sleep 1; exit 7")
        taken = []
        waiting = Thread.new do
          loop { taken << Process.wait2(-1) }
        rescue Errno::ECHILD
          nil
        end
        forked = fork { exit! 5 }
        p $?.exitstatus
        waiting.join
        p taken.to_h { |pid, status| [{ started => :started, forked => :forked }[pid], status.exitstatus] }.sort
        sleep 0.2
        p signals <= 3, Spate::Boot::BootEnd.reason
      RUBY
      assert_equal "3\n[[:forked, 5], [:started, 7]]\ntrue\n:fork\n", booted(program)
      wait { cache && unlocked? }
    end

    def test_wait_without_a_child_raises
      program = "Process.wait(fork {}); p((Process.wait rescue $!.class), Process.waitall)"
      assert_equal "Errno::ECHILD\n[]\n", booted(program)
      wait { cache && unlocked? }
    end

    # Process 1 adopts all orphans of its container.
    def test_init_process_starts_no_builder_and_reports_the_reason
      program = "Process.wait(fork {}); sleep 0.5; p $$, Process.waitall, Dir.children('/proc').grep(/\\A\\d+\\z/)"
      assert_equal "1\n[]\n[\"1\"]\n", booted(program, before: alone)
      assert_nil cache
      assert_match(/^aside +builder: this process adopts orphans, so a builder would become its child/, status)
    end

    def test_child_of_the_init_process_starts_no_builder
      program = "system('ruby', '-e', 'Process.wait(fork {})'); sleep 0.5; p $$, Process.waitall"
      assert_equal "1\n[]\n", booted(program, before: alone)
      assert_nil cache
    end

    def test_subreaper_starts_no_builder
      program = <<~RUBY
        $LOAD_PATH.unshift(*#{Gem::Specification.find_by_name("fiddle").full_require_paths}) # a gem in newer Rubies
        $VERBOSE = nil # older ones print a warning
        require "fiddle"
        prctl = Fiddle::Function.new(Fiddle.dlopen(nil)["prctl"], [Fiddle::TYPE_INT, Fiddle::TYPE_LONG], Fiddle::TYPE_INT)
        prctl.call(36, 1) # PR_SET_CHILD_SUBREAPER
        Process.wait(fork {})
        sleep 0.5
        p Process.waitall
      RUBY
      assert_equal "[]\n", booted(program)
      assert_nil cache
    end

    private

    # The program's output in its first boot, with the builder enabled.
    def booted(program, before: [])
      spate = ["ruby", "--disable-gems", File.expand_path("../../exe/spate", __dir__)]
      project.run(*before, *spate, "exec", "ruby", "-e", program, SPATE_BOOT_BACKGROUND: "1").first
    end

    # Words that make the following command process 1.
    def alone
      words = %w[unshare --pid --fork --mount-proc]
      words.insert(1, "--map-root-user") unless Process.euid.zero?
      skip "no PID namespaces here" unless system(*words, "true", %i[out err] => File::NULL)

      words
    end

    def status = project.spate("boot", "status").first
  end
end
