# frozen_string_literal: true

require "test_helper"
require "open3"

module Spate
  module CLI
    class SignalsTest < Minitest::Test
      %w[INT TERM].each do |name|
        define_method("test_#{name.downcase}_waits_for_what_must_not_be_cut_short") do
          assert_equal ["cleaned\nSIG#{name}\nleft\n", true], run_guarded(<<~RUBY)
            begin
              Thread.handle_interrupt(Interrupt => :never) { Process.kill(:#{name}, $$); sleep 0.05; puts "cleaned" }
              puts "never"
            rescue Interrupt => e
              puts e.message
            ensure
              puts "left"
            end
          RUBY
        end
      end

      def test_it_stops_child_processes
        assert_equal ["SIGINT\n", true], run_guarded(<<~RUBY)
          begin
            Process.kill(:INT, $$)
            sleep 10
          rescue Interrupt => e
            puts e.message
          end
        RUBY
      end

      def test_interrupted_block_may_raise_its_own_error
        assert_equal ["SIGINT\n", true], run_ruby(<<~RUBY)
            Spate::CLI::Signals.guard do
              Process.kill(:INT, $$)
              sleep 10
            rescue Interrupt
              raise "cut short"
            end
          rescue Interrupt => e
            puts e.message
        RUBY
      end

      # Open3, for example, has threads whose pipes are closed at that time.
      def test_other_threads_print_nothing_when_interrupted
        said = +""
        run_guarded(<<~RUBY, said)
          require "open3"
          Thread.new { sleep 0.5; Process.kill(:INT, $$) }
          begin
            Open3.capture3("sleep 2")
          rescue Interrupt
          end
        RUBY

        assert_empty said
      end

      def test_a_second_signal_ends_at_once
        out, quiet = run_guarded(<<~RUBY)
          Thread.handle_interrupt(Interrupt => :never) do
            2.times { Process.kill(:TERM, $$); sleep 0.05 }
            puts "never"
          end
        RUBY

        assert_equal ["", false], [out, quiet]
      end

      private

      def run_guarded(body, said = +"") = run_ruby("Spate::CLI::Signals.guard { #{body} }", said)

      # A program's output, and whether it exited with status 0: false after a signal, too. said: receives its stderr.
      def run_ruby(text, said = +"")
        lib = File.expand_path("../../lib", __dir__)
        out, err, status = Open3.capture3(RbConfig.ruby, "--disable-gems", "-I#{lib}", "-e",
                                          "require 'spate'; $stdout.sync = true; begin; #{text}\nend")
        said << err
        [out, status.success? || false]
      end
    end
  end
end
