# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # Kills a restore at a random time, with random files in place. The next restore must have the same result as the
  # tool, and change nothing else in the project.
  module JSKilledCase
    ROUNDS = Integer(ENV.fetch("SPATE_TEST_KILLS", "4"), 10)
    VERSIONS = %w[1.0.0 2.0.0].freeze
    ONE = { name: "one", version: "1.0.0", bin: "cli.js", dependencies: { "p1" => "1.0.0" } }.freeze

    # Variables shared by the tests of a class, because the tool takes longer than all restores.
    STAGE = %i[@folder @registry @root @mine @made].freeze

    def self.included(tests) = tests.singleton_class.attr_accessor(:stage)

    def setup
      skip "no #{tool}" unless NpmTools.runs?(tool)

      @random = Random.new(Spate.test_seed)
      return set_out if self.class.stage

      @folder = Dir.mktmpdir("spate-test-")
      @registry = NpmRegistry.start
      Minitest.after_run { [@registry.stop, FileUtils.rm_rf(@folder)] }
      make_stage
      self.class.stage = STAGE.to_h { |name| [name, instance_variable_get(name)] }
    end

    # Resets the project to its state before the first test.
    def set_out
      self.class.stage.each { |name, value| instance_variable_set(name, value) }
      clean
      FileUtils.rm_rf(["#{@root}/#{lockfile}", *Dir.glob("#{@folder}/store*")])
    end

    def make_stage
      VERSIONS.each { |version| 20.times { |index| add_package(index, version) } }
      @root = File.realpath(File.dirname(write("app/README", "mine")))
      @mine = { "README" => "mine", "packages/one/cli.js" => "#!/usr/bin/env node\n", "data/node_modules.js" => "data",
                "packages/one/package.json" => JSON.generate(ONE),
                "pnpm-workspace.yaml" => "packages: ['packages/*']\n" }
      @mine.each { |path, text| write("app/#{path}", text) }
      @made = VERSIONS.to_h { |version| [version, made(version)] }
    end

    # Adds a package. Every third one exists in one version only; some depend on others.
    def add_package(index, version)
      return if index % 3 == 2 && version == "2.0.0"

      files = Array.new(10) { |file| ["lib/#{file}.js", "#{index} #{version} #{file}\n" * 40] }.to_h
      @registry.add("p#{index}", version, bin: "lib/0.js", files: files,
                                          dependencies: index > 10 ? { "p#{index - 10}" => "*" } : {})
    end

    def env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))

    def run_tool(*arguments)
      output, status = Open3.capture2e(env, tool, *arguments, chdir: @root, unsetenv_others: true)
      assert_predicate status, :success?, output
    end

    # Runs the tool in the project. Returns the resulting folder and its content.
    def made(version)
      names = Array.new(20) { |index| index }.reject { |index| index % 3 == 2 && version == "2.0.0" }
      write("app/package.json", JSON.generate(name: "app", version: "1.0.0", workspaces: ["packages/*"],
                                              dependencies: names.to_h { |index| ["p#{index}", version] }))
      commands.each { |command| run_tool(*command) }
      FileUtils.cp_r(@root, copy = File.join(folder, version), preserve: true)
      [copy, seen]
    ensure
      clean
      FileUtils.rm_f("#{@root}/#{lockfile}")
    end

    def lock_as(version)
      ["package.json", lockfile].each { |name| FileUtils.cp("#{@made[version][0]}/#{name}", "#{@root}/#{name}") }
    end

    def clean = FileUtils.rm_rf(["#{@root}/node_modules", "#{@root}/packages/one/node_modules"])

    # Restores the project. Calls the block before the first change.
    def restored(store: "store", &begun)
      events = Events.new.subscribe { |event| begun&.call if event[:event] == :js_plan }
      JS::Restore::Run.new(root: @root, env: env, store: Store.open(home: File.join(folder, store), env: {}),
                           events: events, options: JS::Options.new(ignore_scripts: true)).call
    end

    def killed(store)
      begun, tell = IO.pipe
      pid = fork do
        $stderr.reopen(File::NULL)
        restored(store: store) { tell.write("x") }
        exit!(0)
      rescue Exception # rubocop:disable Lint/RescueException -- minitest must not run in the child
        exit!(1)
      end
      begun.read(1)
      sleep(@random.rand * @time)
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end

    # The content of the project. The text of scripts in .bin is left out, because pnpm's differs from Spate's.
    def seen
      NodeModulesComparison.snapshot(@root).to_h do |path, what|
        [path, path.include?("/.bin/") ? what[/\A(?:executable file|link .*)/] : what]
      end
    end

    def assert_as_made(version)
      assert_equal @mine, @mine.to_h { |path, _| [path, File.read("#{@root}/#{path}")] }
      assert_empty NodeModulesComparison.differences(@made[version][1], seen)
    end

    # Each round kills one restore. The block prepares node_modules. The store is either full or empty.
    def rounds
      lock_as("2.0.0")
      restored
      clean
      started = nil
      restored { started = Process.clock_gettime(Process::CLOCK_MONOTONIC) }
      @time = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
      ROUNDS.times do |round|
        clean
        yield
        lock_as("2.0.0")
        killed(store = round.odd? ? "store-#{round}" : "store")
        lock_as(wanted = VERSIONS[@random.rand(3).clamp(0, 1)])
        restored(store: store)
        assert_as_made(wanted)
      end
    end

    def test_without_node_modules = rounds { nil }

    def test_after_an_earlier_restore
      rounds do
        lock_as("1.0.0")
        restored
      end
    end

    def test_with_node_modules_of_the_tool
      rounds do
        Dir.glob("{.,packages/one}/node_modules", base: @made["1.0.0"][0]).each do |path|
          FileUtils.cp_r("#{@made["1.0.0"][0]}/#{path}", "#{@root}/#{path}", preserve: true)
        end
      end
    end
  end

  class JSKilledNpmTest < Minitest::Test
    include JSKilledCase

    def tool = "npm"
    def lockfile = "package-lock.json"
    def commands = [%w[install --package-lock-only], %w[ci --ignore-scripts]]
  end

  class JSKilledPnpmTest < Minitest::Test
    include JSKilledCase

    def tool = "pnpm"
    def lockfile = "pnpm-lock.yaml"
    def commands = [%w[install --lockfile-only], %w[install --frozen-lockfile --ignore-scripts]]
  end
end
