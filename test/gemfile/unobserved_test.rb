# frozen_string_literal: true

require_relative "verdict_case"
require "spate/ear"

module Spate
  module Gemfile
    # Where the kernel lets nobody listen, answers are right and not kept; what was kept before is used. Forbidden by an
    # ear around all of it: one does not fit into another.
    class UnobservedTest < VerdictCase
      SCRIPT = <<~'RUBY'
        require "spate"
        require "spate/native/boot"
        location = Spate::Gemfile.find(ARGV[0])
        settings = Spate::Settings.load(root: location.root)
        store = Spate::Store.open(home: ARGV[1])
        known = { location: location, settings: settings, store: store }
        before = Spate::Gemfile::Verdict.recall(**known)
        facts = Spate::Gemfile::Verdict.evaluate(**known)
        record = Spate::Gemfile::Setup::Recorder.new(location, settings).call
        puts !before.nil?, facts.agrees?, facts.volatile, record.refused, record.outdated?(settings.env)
        puts Spate::Gemfile::Verdict.recall(**known).nil?
      RUBY

      def test_nothing_is_kept_and_status_says_why
        app("File.read('f')\n")
        write("app/f", "x")
        before, agrees, volatile, refused, outdated, forgotten = deaf
        assert_equal %w[false true false true], [before, agrees, outdated, forgotten]
        assert_match(/\Anothing can be heard here: .+/, volatile)
        assert_equal volatile, refused
      end

      def test_what_was_kept_is_used
        app("File.read('f')\n")
        write("app/f", "x")
        evaluate
        assert_equal "true", deaf.first
        File.write(path("f"), "y")
        assert_equal "false", deaf.first
      end

      private

      def deaf
        words = [RbConfig.ruby, "-I", File.expand_path("../../lib", __dir__), "-e", SCRIPT, path("."), @store.home]
        read, write = IO.pipe
        Ear.hear do |ear|
          pid = Process.spawn(ear.environment(@env, {}), *ear.command(*words), out: write, unsetenv_others: true,
                                                                               **ear.options)
          write.close
          Process.wait(pid)
        end
        read.read.lines(chomp: true)
      end
    end
  end
end
