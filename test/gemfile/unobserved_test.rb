# frozen_string_literal: true

require_relative "gemfile_check_case"
require "spate/tracer"

module Spate
  module Gemfile
    # Without a tracer in the kernel, Gemfile checks are correct and not stored; stored ones are used. The tests run
    # inside another tracer, because tracers cannot be nested.
    class UnobservedTest < GemfileCheckCase
      SCRIPT = <<~'RUBY'
        require "spate"
        require "spate/native/boot"
        location = Spate::Gemfile.find(ARGV[0])
        settings = Spate::Settings.load(root: location.root)
        store = Spate::Store.open(home: ARGV[1])
        known = { location: location, settings: settings, store: store }
        before = Spate::Gemfile::Check.recall(**known)
        facts = Spate::Gemfile::Check.evaluate(**known)
        record = Spate::Gemfile::Setup::Recorder.new(location, settings).call
        puts !before.nil?, facts.agrees?, facts.volatile, record.refused, record.outdated?(settings.env)
        puts Spate::Gemfile::Check.recall(**known).nil?
      RUBY

      def test_no_gemfile_check_is_stored_and_status_reports_why
        app("File.read('f')\n")
        write("app/f", "x")
        before, agrees, volatile, refused, outdated, forgotten = deaf
        assert_equal %w[false true false true], [before, agrees, outdated, forgotten]
        assert_match(/\Afile accesses cannot be traced here: .+/, volatile)
        assert_equal volatile, refused
      end

      def test_stored_gemfile_check_is_used
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
        puts Spate::CompileCache::Builder::BundleContents.new(location, nil, ENV.to_h).own
      RUBY

      # The child that lists the gems of a bundle is not traced; Landlock restricts it.
      def test_gemfile_cannot_write_while_gems_are_listed
        _, status = Process.wait2(fork { exit!(Native::Tracer.confine) })
        skip "no Landlock" unless status.success?
        write("app/own/own.gemspec", "Gem::Specification.new('own', '1') { |own| own.summary = own.author = 'x' }")
        app("gem 'own', path: 'own'\nbegin; File.write('made', 'x'); rescue Errno::EACCES; 1; end\n" \
            "system('rm -f Gemfile.lock; echo x > made 2> /dev/null')")
        before = File.binread(path("Gemfile.lock"))
        assert_equal [path("own")], deaf(BUNDLE)
        refute_path_exists path("made")
        assert_equal before, File.binread(path("Gemfile.lock")), "the Gemfile adds a gem"
      end

      CHANGES = ["File.chmod(0o600, LOCK)", "File.utime(1, 1, LOCK)", "File.open(LOCK) { |file| file.chmod(0o600) }",
                 "File.truncate(LOCK, 0)"].freeze
      REMOVALS = ["File.rename(LOCK, 'other')", "File.link(LOCK, 'link')", "File.delete(LOCK)",
                  "system('rm', '-f', LOCK, err: File::NULL)"].freeze
      # { missing feature of the kernel => changes that must still be prevented }
      { "seccomp" => CHANGES, "landlock" => CHANGES + REMOVALS }.each do |lacking, changes|
        define_method("test_gemfile_cannot_change_the_lockfile_without_a_listener_or_#{lacking}") do
          write("app/own/own.gemspec", "Gem::Specification.new('own', '1') { |own| own.summary = own.author = 'x' }")
          app("gem 'own', path: 'own'\nLOCK = '#{path("Gemfile.lock")}'\n" +
              changes.map { |change| "begin; #{change}; rescue SystemCallError; 1; end\n" }.join)
          before = state
          assert_equal [path("own")], without(lacking, BUNDLE)
          assert_equal before, state
        end
      end

      private

      def state
        Dir.glob("#{path(".")}/**/*").sort.map do |file|
          info = File.stat(file)
          [file, info.mode, info.size, info.mtime]
        end
      end

      def without(lacking, script)
        forbid = "#{folder}/forbid"
        system("cc", "-w", "-o", forbid, File.expand_path("../tracer/programs/forbid.c", __dir__), exception: true)
        IO.popen([@env, forbid, lacking, *words(script), { unsetenv_others: true }]) { |io| io.readlines(chomp: true) }
      end

      def words(script)
        [RbConfig.ruby, "-I", File.expand_path("../../lib", __dir__), "-e", script, path("."), @store.home]
      end

      def deaf(script = SCRIPT)
        read, write = IO.pipe
        Tracer.trace do |tracer|
          options = { out: write, unsetenv_others: true, **tracer.options }
          pid = Process.spawn(tracer.environment(@env, {}), *tracer.command(*words(script)), **options)
          write.close
          Process.wait(pid)
        end
        read.read.lines(chomp: true)
      end
    end
  end
end
