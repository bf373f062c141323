# frozen_string_literal: true

require "test_helper"

module Spate
  # The real Bundler installs a gem with an executable and an extension. Layout must return the path of every file.
  class LayoutTest < Minitest::Test
    LOCK = <<~LOCK
      GEM
        remote: http://gems.test/
        specs:
          tool (1.0.0)

      PLATFORMS
        ruby

      DEPENDENCIES
        tool
    LOCK

    def setup
      @env = ENV.to_h.reject { |key, _| key.start_with?("BUNDLE", "GEM_") }
                .merge("HOME" => File.join(folder, "home"), "BUNDLE_SILENCE_ROOT_WARNING" => "1")
      FileUtils.mkdir_p(@env["HOME"])
    end

    def app
      @app ||= begin
        write("app/Gemfile", "source 'http://gems.test'\ngem 'tool'\n")
        write("app/Gemfile.lock", LOCK)
        FileUtils.mkdir_p(File.join(folder, "app/vendor/cache"))
        FileUtils.cp(LayoutTest.tool ||= tool, File.join(folder, "app/vendor/cache"))
        File.join(folder, "app")
      end
    end

    class << self
      # The path of the archive that #tool builds for the first test.
      attr_accessor :tool
    end

    # Builds a gem whose extension needs no compiler. Returns the archive's path.
    def tool
      write("tool/bin/tool", "#!/usr/bin/env ruby\nputs 1\n", mode: 0o755)
      write("tool/ext/extconf.rb", "File.write('Makefile', \"all:\\ninstall:\\nclean:\\n\")\n")
      write("tool/tool.gemspec", <<~RUBY)
        Gem::Specification.new do |spec|
          spec.name = "tool"
          spec.version = "1.0.0"
          spec.authors = ["one"]
          spec.summary = "tool"
          spec.files = ["bin/tool", "ext/extconf.rb"]
          spec.executables = ["tool"]
          spec.extensions = ["ext/extconf.rb"]
        end
      RUBY
      run_program("gem", "build", "tool.gemspec", chdir: File.join(folder, "tool"))
      kept = Dir.mktmpdir("spate-test-")
      Minitest.after_run { FileUtils.rm_rf(kept) }
      FileUtils.cp(File.join(folder, "tool/tool-1.0.0.gem"), kept)
      File.join(kept, "tool-1.0.0.gem")
    end

    def run_program(*command, chdir:)
      output = IO.popen(@env, [*command, { err: %i[child out], chdir: chdir, unsetenv_others: true }], &:read)
      assert_predicate $?, :success?, output
    end

    def installed(**env)
      @env.merge!(env.transform_keys(&:to_s))
      app
      run_program("bundle", "install", "--local", chdir: app)
      settings = Settings.load(root: app, env: @env)
      layout = Layout.for(settings, app, store: Store.open(home: File.join(folder, "spate")))
      assert_all_there(layout)
      layout
    end

    def assert_all_there(layout)
      { gems: "tool-1.0.0/bin/tool", specifications: "tool-1.0.0.gemspec", cache: "tool-1.0.0.gem", bin: "tool",
        extensions: "tool-1.0.0/gem.build_complete", build_info: ".", plugins: "." }.each do |part, path|
        place = File.join(layout.public_send(part), path)
        assert_path_exists place, "#{part} of #{layout.root}"
      end
    end

    def test_a_path_relative_to_the_application
      layout = installed(BUNDLE_PATH: "vb")
      assert_equal File.join(File.realpath(app), "vb/ruby", RbConfig::CONFIG["ruby_version"]), layout.root
      assert_equal File.join(layout.root, "bundler/gems"), layout.bundler_gems
      refute_predicate layout, :system?
    end

    def test_deployment
      layout = installed(BUNDLE_DEPLOYMENT: "true")
      assert_equal File.join(File.realpath(app), "vendor/bundle", Layout.ruby_scope), layout.root
      assert_equal File.join(app, "vendor/cache"), layout.app_cache
    end

    def test_the_folder_of_rubygems
      layout = installed(GEM_HOME: File.join(folder, "gems"))
      assert_equal File.join(folder, "gems"), layout.root
      assert_predicate layout, :system?
    end

    def test_a_folder_for_executables_and_one_for_binstubs
      write("app/.bundle/config",
            "---\nBUNDLE_PATH: \"vb\"\nBUNDLE_SYSTEM_BINDIR: \"programs\"\nBUNDLE_BIN: \"stubs\"\n")
      layout = installed
      assert_equal File.join(app, "programs"), layout.bin
      return assert_nil(layout.binstubs) if layout.rubygems.bundler_version.to_i >= 4

      assert_path_exists File.join(layout.binstubs, "tool")
    end

    def test_a_path_that_is_a_link
      FileUtils.mkdir_p(File.join(folder, "big/disk"))
      app
      File.symlink(File.join(folder, "big/disk"), File.join(app, "vb"))
      layout = installed(BUNDLE_PATH: "vb")
      assert_equal File.realpath(File.join(folder, "big/disk", Layout.ruby_scope)), layout.root
    end

    # The result must be RubyGems' own, which a distribution may have changed.
    def test_rubygems_is_queried_once
      store = Store.open(home: File.join(folder, "spate"))
      first = Layout::Rubygems.current(store: store, env: @env)
      script = "puts Gem::VERSION, Gem.dir, Gem.bindir, Gem::Platform.local, Gem.extension_api_version, Gem.path"
      said = IO.popen(@env, [RbConfig.ruby, "-e", script, { unsetenv_others: true }], &:readlines).map(&:chomp)
      assert_equal said, [first.version, first.dir, first.bindir, first.platform, first.extension_api_version,
                          *first.path]
      assert_equal first, Layout::Rubygems.current(store: store, env: @env)

      silent = Layout::RubygemsProbe.new(store, @env)
      silent.define_singleton_method(:asked) { raise "asked again" }
      assert_equal first, silent.answer
      home = @env.merge("GEM_HOME" => File.join(folder, "other"))
      assert_equal File.join(folder, "other"), Layout::Rubygems.current(store: store, env: home).dir
    end

    # Threads that need the result wait for one child process. If the result is known, no thread is started.
    def test_rubygems_is_queried_in_the_background
      store = Store.open(home: File.join(folder, "spate"))
      asked = Thread::Queue.new
      go_on = Thread::Queue.new
      probe = Layout::RubygemsProbe.new(store, @env)
      probe.define_singleton_method(:output) { asked.push(true) && go_on.pop && super() }
      layout = Layout.for(Settings.load(env: @env, root: folder), folder, store: store, rubygems: probe)
      layout.ask_rubygems
      asked.pop
      waiting = Array.new(2) { Thread.new { layout.rubygems.version } }
      go_on << true
      assert_equal [Gem::VERSION] * 2, waiting.map(&:value)
      assert_empty asked

      threads = Thread.list
      Layout::RubygemsProbe.new(store, @env).start
      assert_equal threads, Thread.list
    end

    # The first thread checks the store, and waits until another thread has the result.
    def test_threads_that_query_rubygems_concurrently
      looked, go_on = Array.new(2) { Thread::Queue.new }
      probe = Layout::RubygemsProbe.new(nil, @env)
      first = [true]
      probe.define_singleton_method(:is_a?) { |kind| super(kind).tap { first.pop && looked.push(true) && go_on.pop } }
      layout = Layout.for(Settings.load(env: @env, root: folder), folder, rubygems: probe)
      held = Thread.new { layout.rubygems.version }
      looked.pop
      assert_equal Gem::VERSION, layout.rubygems.version
      go_on << true
      assert_equal Gem::VERSION, held.value
    end

    def test_another_bundler_is_noticed
      store = Store.open(home: File.join(folder, "spate"))
      env = @env.merge("GEM_HOME" => File.join(folder, "gems"))
      before = Layout::Rubygems.current(store: store, env: env)
      write("gems/specifications/bundler-99.0.0.gemspec", <<~RUBY)
        Gem::Specification.new { |spec| spec.name = "bundler"; spec.version = "99.0.0"; spec.executables = ["bundle"] }
      RUBY
      assert_equal "99.0.0", Layout::Rubygems.current(store: store, env: env).bundler_version
      refute_equal "99.0.0", before.bundler_version
    end

    # Bundler is installed while the child exits, which has computed its result by then.
    def test_a_bundler_that_is_installed_while_rubygems_is_queried
      store = Store.open(home: File.join(folder, "spate"))
      specification = 'Gem::Specification.new { |spec| spec.name = "bundler"; spec.version = "99.0.0" }'
      FileUtils.mkdir_p(path = File.join(folder, "gems/specifications"))
      hook = write("hook.rb", "at_exit { File.write(#{"#{path}/bundler-99.0.0.gemspec".dump}, #{specification.dump}) }")
      env = @env.merge("GEM_HOME" => File.join(folder, "gems"), "RUBYOPT" => "-r#{hook}")
      refute_equal "99.0.0", Layout::Rubygems.current(store: store, env: env).bundler_version
      assert_equal "99.0.0", Layout::Rubygems.current(store: store, env: env).bundler_version
    end

    # RubyGems activates this version for `bundle`, and Bundler starts the version in its setting.
    def test_the_bundler_that_an_application_names
      env = @env.merge("GEM_HOME" => File.join(folder, "gems"))
      %w[98.0.1 99.0.0].each do |version|
        write("gems/specifications/bundler-#{version}.gemspec", <<~RUBY)
          Gem::Specification.new { |spec| spec.name = "bundler"; spec.version = "#{version}"; spec.executables = ["bundle"] }
        RUBY
      end
      lock = write("app/Gemfile.lock", "GEM\n  specs:\n\nBUNDLED WITH\n   98.0.1\n")
      other = write("app/other.lock", "GEM\n  specs:\n\nBUNDLED WITH\n   97.0.1\n")

      assert_equal "98.0.1", bundler(env, lock)
      assert_equal "99.0.0", bundler(env, other), "one that is not installed"
      assert_equal "99.0.0", bundler(env, "#{folder}/none")
      assert_equal "99.0.0", bundler(env.merge("BUNDLER_VERSION" => "99.0.0"), lock)
      assert_equal "98.0.1", bundler(env.merge("BUNDLE_VERSION" => "98.0.1"), other)
      newest = Gem.rubygems_version >= Gem::Version.new("4")
      assert_equal newest ? "99.0.0" : "98.0.1", bundler(env.merge("BUNDLE_VERSION" => "system"), lock)
      assert_equal "98.0.1", bundler(env, lock), "another application's setting"
      outer = { "BUNDLER_VERSION" => "99.0.0", "BUNDLER_ORIG_BUNDLER_VERSION" => Util::Environment::NOT_SET }
      assert_equal "98.0.1", bundler(env.merge(outer), lock), "an outer bundle exec"
    end

    def test_invalid_version_names_no_bundler
      lock = write("app/Gemfile.lock", "GEM\n  specs:\n\nBUNDLED WITH\n   ../x\n")
      usual = bundler(@env, "#{folder}/none")

      assert_equal usual, bundler(@env, lock)
      assert_equal usual, bundler(@env.merge("BUNDLER_VERSION" => "2..6", "BUNDLE_VERSION" => "2*"), lock)
    end

    private

    def bundler(env, lockfile)
      store = Store.open(home: File.join(folder, "spate"))
      settings = Settings.load(env: env, root: folder)
      Layout.for(settings, folder, store: store, lockfile: lockfile).rubygems.bundler_version
    end
  end
end
