# frozen_string_literal: true

require "boot/exec_case"
require "spate/ear"

module Spate
  module Boot
    # What `spate exec` starts in the background evaluates a Gemfile later, maybe another one. It changes no file of the
    # user's.
    class ReadOnlyTest < ExecCase
      # Loaded into every Ruby. Holds the first evaluation of the Gemfile that is heard until the test has opened and
      # closed the FIFO.
      GATE = <<~'RUBY'
        if ENV["SPATE_EAR_SOCKET"] && !File.exist?("#{__dir__}/passed")
          File.write("#{__dir__}/passed", "")
          File.read("#{__dir__}/gate")
        end
      RUBY

      def setup
        super
        skip Ear.available? unless Ear.available? == true
        write("outside/gate.rb", GATE)
        File.mkfifo("#{folder}/outside/gate")
      end

      def test_a_gemfile_that_changes_before_it_is_evaluated
        write("app/other/other.gemspec", GEMSPEC.gsub("local", "other"))
        lockfile = File.binread(project.path("Gemfile.lock"))
        meanwhile { append("gem 'other', path: 'other'") }

        assert_equal lockfile, File.binread(project.path("Gemfile.lock"))
        output, status = project.spate("install", "--frozen")
        assert_equal 4, status.exitstatus, output
        assert_match(/the Gemfile adds other/, output)
        assert_match(%r{stand-in .*or Bundler would write .*/Gemfile.lock$}, project.spate!("boot", "status"))
      end

      private

      def append(line) = File.write(project.path("Gemfile"), "#{File.read(project.path("Gemfile"))}#{line}\n")

      # Boots, does something before the Gemfile is evaluated in the background, and waits for the end of that.
      def meanwhile(&)
        output, status = spate_exec("ruby", "-e", "require 'local'", SPATE_BOOT_BACKGROUND: "1",
                                                                     RUBYOPT: "-r#{folder}/outside/gate.rb")
        assert_predicate status, :success?, output
        File.open("#{folder}/outside/gate", "w", &)
        wait { image && unlocked? }
      end
    end
  end
end
