# frozen_string_literal: true

require_relative "scripts_case"
require "English"
require "support/npm_registry"

# Scripts run during restores of projects that npm or pnpm locked, including kills and interrupts.
class JSScriptsRestoreTest < Minitest::Test
  include JSScriptsCase

  NPM = %w[npm install --package-lock-only --ignore-scripts].freeze
  MAKE = "require('fs').writeFileSync('made', 'by one')"
  LOAD = "require('net').connect(process.env.PORT, '127.0.0.1', () => " \
         "{ require('fs').writeFileSync('loaded', ''); process.exit() })"
  PNPM = %w[pnpm install --lockfile-only --ignore-scripts].freeze

  def setup
    super
    @registry = NpmRegistry.start
    @env = @env.merge(NpmRegistry.env(@registry, home: @home))
    @registry.add("one", "1.0.0", files: { "make.js" => MAKE, "data" => "x\n" },
                                  scripts: { install: "node make.js && echo more >> data" })
    @registry.add("evil", "1.0.0", files: { "x" => "", "binding.gyp" => "{}" }, bin: { "one" => "x" }, name: "evil",
                                   scripts: { postinstall: say("evil") })
    @dependencies = { "two" => "npm:one@1.0.0", "one" => "npm:evil@1.0.0" }
  end

  def teardown
    @registry&.stop
    super
  end

  def test_npm = assert_runs("npm", NPM, allowScripts: { one: true })

  def test_pnpm
    write("pnpm-workspace.yaml", "allowBuilds:\n  one: true\n")

    assert_runs("pnpm", PNPM)
  end

  def test_npm_changes_nothing_after_a_restore
    test_npm

    assert_match(/"one"/, capture("npm", "ls", "--all", "--json"))
  end

  # pnpm's shims depend on the first line of their file, which the script changes.
  def test_an_executable_that_a_script_replaced
    skip "no pnpm on the PATH" unless JS::Tools::Program.find("pnpm", @env["PATH"])
    depend_on_what_is_replaced
    found = [restore, restore, restore(restore: :all), (FileUtils.rm_rf("#{@root}/node_modules") && restore)].map do
      assert_predicate check, :ok?, check.differences.join("\n")
      executables
    end

    FileUtils.rm_rf("#{@root}/node_modules")
    capture("pnpm", "install", "--frozen-lockfile")

    assert_equal [executables], found.uniq
    assert_equal "native\n", found.first["node_modules/.bin/tool"]
  end

  # A build that is not stored (this one uses the network) has no list of files. The list of an earlier build is not
  # used.
  def test_files_created_by_scripts_are_not_strays
    server = TCPServer.new("127.0.0.1", 0)
    @registry.add("loads", "1.0.0", scripts: { install: "echo > made; test -z \"$PORT\" || node -e \"#{LOAD}\"" })
    manifest(dependencies: { "loads" => "1.0.0" }, allowScripts: { loads: true })
    capture(*NPM)
    found = [{}, { "PORT" => server.addr[1].to_s }].map do |given|
      @env.update(given)
      FileUtils.rm_rf("#{@root}/node_modules")
      [restore.built, check.differences.map(&:to_s), check.scripted]
    end

    assert_equal [[1, [], []], [1, [], ["loads@1.0.0"]]], found
    assert_path_exists "#{@root}/node_modules/loads/loaded"
  ensure
    server&.close
  end

  def test_prune_keeps_builds_in_use
    test_npm
    Spate::Store::Prune.new(@store, older_than: 0).call
    FileUtils.rm_rf("#{@root}/node_modules")

    assert_equal [0, 1], restore.then { |report| [report.built, report.build_reused] }
  end

  # The lockfile has the address and digest of an archive that pretends to be the allowed package.
  def test_scripts_run_only_if_the_archive_matches_its_own_address
    @registry.add("twin", "1.0.0", name: "one", scripts: { install: say("twin") })
    manifest(dependencies: { "twin" => "1.0.0", "one" => "1.0.0" }, allowScripts: { one: true })
    capture(*NPM)
    lock = JSON.parse(File.read("#{@root}/package-lock.json"))
    lock["packages"]["node_modules/one"]["integrity"] = lock["packages"]["node_modules/twin"]["integrity"]
    write("package-lock.json", JSON.generate(lock))
    error = assert_raises(JS::Restore::ChecksumError) { restore }

    assert_match(/\Aone@1\.0\.0: expected /, error.message)
    assert_empty said
  end

  def test_the_origin_of_an_archive_is_checked_once
    manifest(dependencies: { "one" => "1.0.0" }, allowScripts: { one: true })
    capture(*NPM)
    restore
    asked = @registry.requests.size
    FileUtils.rm_rf("#{@root}/node_modules")

    assert_equal [1, asked], [restore(local: true).build_reused, @registry.requests.size]
    FileUtils.rm_rf(["#{@root}/node_modules", @store.path("origins")])

    assert_equal %w[node_modules/one], restore(local: true).pending
    assert_includes @events.map { |event| event[:message] },
                    "scripts of one@1.0.0 do not run: its address was not checked"
  end

  def test_killed_script_leaves_no_partial_files
    half = "test -e ../../killed || { touch ../../killed half; kill -9 $RESTORE; sleep 9; }"
    @registry.add("halved", "1.0.0", scripts: { install: half })
    manifest(dependencies: { "halved" => "1.0.0" }, allowScripts: { halved: true })
    capture(*NPM)
    _, status = Process.wait2(fork { @env["RESTORE"] = Process.pid.to_s and restore })

    assert_equal 9, status.termsig
    assert_path_exists "#{@root}/node_modules/halved/half"
    restore

    refute_path_exists "#{@root}/node_modules/halved/half"
  end

  SLOW = "test -e ../../once || { touch ../../once half; rm package.json data; sleep 60; }"

  def test_an_interruption_in_a_script_leaves_nothing
    slow(allowScripts: { slow: true })
    interrupt

    refute_path_exists "#{@root}/node_modules"
    restore
    assert_slow
  end

  # The package was replaced during the restore. Its old files are put back.
  def test_an_interruption_in_a_script_restores_the_old_files
    slow
    restore
    write("node_modules/slow/mine", "1")
    before = tree
    slow(allowScripts: { slow: true })
    interrupt

    assert_equal before, tree
    restore
    assert_slow
  end

  private

  def slow(**more)
    inner = { "package.json" => "{}", "i.js" => "" }.transform_keys { |name| "node_modules/inner/#{name}" }
    @registry.add("slow", "1.0.0", files: { "data" => "x\n", **inner }, scripts: { install: SLOW },
                                   bundleDependencies: ["inner"])
    manifest(dependencies: { "slow" => "1.0.0", "one" => "1.0.0" }, **more)
    capture(*NPM)
  end

  def tree
    Dir.glob("**/*", File::FNM_DOTMATCH, base: "#{@root}/node_modules").sort.to_h do |path|
      [path, File.lstat("#{@root}/node_modules/#{path}").then { |stat| [stat.ftype, stat.size, stat.mode] }]
    end
  end

  # Sends SIGINT after the script has begun.
  def interrupt
    pid = fork do
      Spate::CLI::Signals.guard { restore }
    rescue Interrupt
      exit!(130)
    ensure
      exit!(1)
    end
    100.times { File.exist?("#{@root}/once") ? break : sleep(0.1) }
    Process.kill(:INT, pid)

    assert_equal 130, Process.wait2(pid).last.exitstatus
  end

  def assert_slow
    refute_path_exists "#{@root}/node_modules/slow/half"
    assert_equal "x\n", File.read("#{@root}/node_modules/slow/data")
    assert_match(/"slow"/, capture("npm", "ls", "--all", "--json"))
  end

  # Two packages have each other's names. Only the scripts of the allowed one run, and only in the first restore.
  def assert_runs(tool, lock, **package)
    skip "no #{tool} on the PATH" unless JS::Tools::Program.find(tool, @env["PATH"])
    manifest(dependencies: @dependencies, scripts: { prepare: say("own") }, **package)
    capture(*lock)
    reports = [restore, restore, (FileUtils.rm_rf("#{@root}/node_modules") && restore)]

    assert_equal [[1, 0], [0, 0], [0, 1]], reports.map { |report| [report.built, report.build_reused] }
    assert_equal 1, reports.first.pending.size
    assert_equal %w[own own own], said
    assert_equal ["by one", "x\nmore\n"], %w[made data].map { |name| File.read("#{@root}/node_modules/two/#{name}") }
  end

  # One package replaces its executables in a script, another one runs them in a script.
  def depend_on_what_is_replaced
    native = "rm -f run && printf '#!/bin/sh\\necho native\\n' > run && cp run made && chmod +x run made"
    @registry.add("tool", "1.0.0", files: { "run" => "#!/usr/bin/env node\n" }, bin: { tool: "run", late: "made" },
                                   scripts: { postinstall: native })
    @registry.add("user", "1.0.0", dependencies: { tool: "1.0.0" }, scripts: { install: "tool > out && cat out" })
    write("pnpm-workspace.yaml", "allowBuilds:\n  tool: true\n  user: true\n")
    manifest(dependencies: { tool: "1.0.0", user: "1.0.0" })
    capture(*PNPM)
  end

  # { path => output }
  def executables
    paths = Dir.glob("**/.bin/*", File::FNM_DOTMATCH, base: "#{@root}/node_modules").sort
    paths.to_h { |path| ["node_modules/#{path}", capture("#{@root}/node_modules/#{path}")] }
  end

  def check = JS.check(root: @root, store: @store, env: @env)

  def restore(**options)
    events = Spate::Events.new.subscribe { |event| @events << event }
    JS.restore(root: @root, store: @store, env: @env, events: events, options: JS::Options.new(**options))
  end

  def capture(*command)
    IO.popen(@env, command, chdir: @root, unsetenv_others: true, err: File::NULL, &:read).tap do |text|
      assert_predicate $CHILD_STATUS, :success?, text
    end
  end
end
