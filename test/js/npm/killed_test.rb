# frozen_string_literal: true

require_relative "npm_ci_case"

module Spate
  # Killed at any moment, over whatever was there: the next restore ends with what `npm ci` makes, and nothing else of
  # the project has changed.
  class NpmKilledTest < NpmCiCase
    ROUNDS = Integer(ENV.fetch("SPATE_TEST_KILLS", "5"), 10)

    def setup
      super
      @random = Random.new(Spate.test_seed)
      %w[1.0.0 2.0.0].each { |version| 20.times { |index| add_package(index, version) } }
      write_json("packages/one/package.json", { "name" => "one", "version" => "1.0.0", "bin" => "cli.js",
                                                "dependencies" => { "p1" => "1.0.0" } })
      @mine = %w[packages/one/cli.js README lib/node_modules.js data/x].to_h { |path| [path, "mine #{path}"] }
      @mine.each do |path, text|
        FileUtils.mkdir_p(File.dirname("#{@root}/#{path}"))
        File.write("#{@root}/#{path}", text)
      end
      @made = %w[1.0.0 2.0.0].to_h { |version| [version, made(version)] }
    end

    # Every third is in one version only; some need others.
    def add_package(index, version)
      return if index % 3 == 2 && version == "2.0.0"

      files = Array.new(10) { |file| ["lib/#{file}.js", "#{index} #{version} #{file}\n" * 40] }.to_h
      add("p#{index}", version, bin: "lib/0.js", files: files,
                                dependencies: index > 10 ? { "p#{index - 10}" => "*" } : {})
    end

    # A folder with the project, locked and as `npm ci` leaves it; and what is in it.
    def made(version)
      names = Array.new(20) { |index| index }.reject { |index| index % 3 == 2 && version == "2.0.0" }
      lock({ "name" => "app", "version" => "1.0.0", "workspaces" => ["packages/*"],
             "dependencies" => names.to_h { |index| ["p#{index}", version] } })
      npm("ci", "--ignore-scripts")
      FileUtils.cp_r(@root, folder = "#{@home}/#{version}", preserve: true)
      FileUtils.rm_rf(["#{@root}/node_modules", "#{@root}/package-lock.json"])
      [folder, NodeModulesComparison.snapshot(folder)]
    end

    def lock_as(version)
      %w[package.json package-lock.json].each do |name|
        FileUtils.cp("#{@made[version][0]}/#{name}", "#{@root}/#{name}")
      end
    end

    def clean
      Dir.glob("#{@root}/{,packages/one/}node_modules").each { |path| FileUtils.rm_rf(path) }
    end

    # The block is called when changes begin.
    def restored(store: "spate", &begun)
      env = NpmRegistry.env(@registry, home: @home).merge("PATH" => ENV.fetch("PATH"))
      events = Events.new.subscribe { |event| begun&.call if event[:event] == :js_plan }
      JS::Restore::Run.new(root: @root, env: env, store: Store.open(home: "#{@home}/#{store}", env: {}),
                           events: events, options: JS::Options.new(ignore_scripts: true)).call
    end

    # store: "spate" soon has all.
    def killed(store)
      begun, tell = IO.pipe
      pid = fork do
        $stderr.reopen(File::NULL)
        restored(store: store) { tell.write("x") }
        exit!(0)
      rescue Exception # rubocop:disable Lint/RescueException -- whatever it is, minitest must not run here
        exit!(1)
      end
      begun.read(1)
      sleep(@random.rand * @time)
      Process.kill(:KILL, pid)
      Process.wait(pid)
    end

    def assert_as_npm(version)
      assert_equal @mine, @mine.to_h { |path, _| [path, File.read("#{@root}/#{path}")] }
      assert_empty NodeModulesComparison.differences(@made[version][1], NodeModulesComparison.snapshot(@root))
    end

    # The block makes what is there before.
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
        killed(store = round.odd? ? "spate-#{round}" : "spate")
        lock_as(wanted = @random.rand(3).zero? ? "1.0.0" : "2.0.0")
        restored(store: store)
        assert_as_npm(wanted)
      end
    end

    def test_over_nothing = rounds { nil }

    def test_over_an_earlier_restore
      rounds do
        lock_as("1.0.0")
        restored
      end
    end

    def test_over_what_npm_made
      rounds { FileUtils.cp_r("#{@made["1.0.0"][0]}/node_modules", "#{@root}/node_modules", preserve: true) }
    end
  end
end
