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

      BUNDLE = <<~'RUBY'
        require "spate"
        require "spate/native/boot"
        location = Spate::Gemfile.find(ARGV[0])
        puts Spate::Images::Builder::BundleContents.new(location, nil, ENV.to_h).own
      RUBY

      # The child that lists the gems of a bundle runs without a listener; Landlock holds it.
      def test_gemfile_cannot_write_while_gems_are_listed
        _, status = Process.wait2(fork { exit!(Native::Ear.confine) })
        skip "no Landlock" unless status.success?
        write("app/own/own.gemspec", "Gem::Specification.new('own', '1') { |own| own.summary = own.author = 'x' }")
        app("gem 'own', path: 'own'\nbegin; File.write('made', 'x'); rescue Errno::EACCES; 1; end\n" \
            "system('rm -f Gemfile.lock; echo x > made 2> /dev/null')")
        before = File.binread(path("Gemfile.lock"))
        assert_equal [path("own")], deaf(BUNDLE)
        refute_path_exists path("made")
        assert_equal before, File.binread(path("Gemfile.lock")), "the Gemfile adds a gem"
      end

      private

      def deaf(script = SCRIPT)
        words = [RbConfig.ruby, "-I", File.expand_path("../../lib", __dir__), "-e", script, path("."), @store.home]
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
