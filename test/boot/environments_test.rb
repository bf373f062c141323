# frozen_string_literal: true

require_relative "exec_case"
require "spate/boot/entry"

module Spate
  # Boots one application in several environments in turn. Each has a separate Bundler replay, and none rebuilds
  # another.
  class EnvironmentsTest < ExecCase
    DEVELOPMENT = {}.freeze
    TEST = { RAILS_ENV: "test" }.freeze
    DEPLOYED = { RAILS_ENV: "production", BUNDLE_WITHOUT: "test" }.freeze

    def setup
      super
      write("app/tested/tested.gemspec", GEMSPEC.gsub("local", "tested"))
      write("app/tested/lib/tested.rb", "module Tested; end\n")
      File.write(project.path("Gemfile"), <<~RUBY)
        gem "local", path: "local"
        group(:test) { gem "tested", path: "tested" }
        ENV["RAILS_ENV"]
      RUBY
      project.lock
      build
    end

    # Makes the compile cache older first, because caches younger than a few seconds are not rebuilt.
    def boot(environment)
      File.utime(Time.now - 600, Time.now - 600, cache)
      spate_exec("ruby", "-e", "require 'local'", **environment, SPATE_BOOT_BACKGROUND: "1")
    end

    def replay(environment) = parts(**environment)["replay"]

    def learn(environment)
      boot(environment)
      wait { replay(environment) == true && unlocked? }
    end

    def records
      cache = Native::CompileCache.open(self.cache,
                                        key: File.basename(File.dirname(self.cache, 2)))
      Gemfile::Setup::Record::NAMES.count { |name| cache.data(name) }
    end

    # Boots each kind once more: files that the first boots recorded too late for the builder are then in the compile
    # caches.
    def settle
      [DEVELOPMENT, TEST, DEPLOYED].each do |environment|
        boot(environment)
        sleep 0.5
        wait { unlocked? }
      end
    end

    def test_each_environment_keeps_its_bundler_replay
      assert_equal [true, "RAILS_ENV has changed"], [DEVELOPMENT, TEST].map { |environment| replay(environment) }
      learn(TEST)
      learn(DEPLOYED)
      assert_equal [true] * 3, [DEVELOPMENT, TEST, DEPLOYED].map { |environment| replay(environment) }
      settle
      before = File.stat(cache).ino
      [DEVELOPMENT, TEST, DEPLOYED].each { |environment| boot(environment) }
      sleep 0.5
      assert_equal [3, before], [records, File.stat(cache).ino]

      output, = spate_exec("ruby", "-e", "require 'tested'", **DEPLOYED)
      assert_includes output, "LoadError"
      assert_predicate spate_exec("ruby", "-e", "require 'tested'", **TEST).last, :success?
    end

    def test_gemfile_edit_invalidates_all_environments
      learn(TEST)
      File.write(project.path("Gemfile"), "#{File.read(project.path("Gemfile"))}# edited\n")
      refute_equal true, replay(DEVELOPMENT)
      learn(DEVELOPMENT)
      assert_equal 1, records
      assert_equal "RAILS_ENV has changed", replay(TEST)
    end

    def test_number_of_bundler_replays_is_limited
      %w[one two three four].each { |name| learn({ RAILS_ENV: name }) }
      assert_equal 4, records
      assert_equal [true, "RAILS_ENV has changed"], [replay({ RAILS_ENV: "four" }), replay(DEVELOPMENT)]
    end

    def test_each_environment_is_a_kind_of_boot
      boot(TEST)
      boot(DEVELOPMENT)
      paths = Dir["#{project.home}/spate/store/v1/compile-cache/*/boots/*.bootlog"]
      boot_log = paths.map { |path| File.read(path) }.join
      assert_equal ["-e", "-e [test]"], boot_log.lines.map { |line| line.split("\t")[1].strip }.uniq.sort
    end
  end
end
