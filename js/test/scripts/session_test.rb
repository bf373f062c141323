# frozen_string_literal: true

require_relative "scripts_case"
require "timeout"

class JSScriptsSessionTest < Minitest::Test
  include JSScriptsCase

  def test_scripts_without_permission_do_not_run
    manifest
    add("one", "1.0.0", { preinstall: say("a"), install: say("b"), postinstall: say("c") })
    add("two", "1.0.0", {}, files: { "binding.gyp" => "{}" })
    outcome = run_scripts

    assert_empty said
    assert_equal [%w[node_modules/one node_modules/two], []], [outcome.pending, outcome.built]
  end

  def test_list_entries_without_effect_cause_a_warning
    manifest(allowScripts: { "one@^1.0.0": true })
    add("one", "1.0.0", { install: say("a") })
    run_scripts

    assert_match(/no effect for one@\^1\.0\.0/, @events.find { |event| event[:event] == :warning }[:message])
    assert_empty said
  end

  # A name in the lockfile does not prove which package the archive contains.
  def test_an_archive_of_another_package_is_denied_with_a_warning
    manifest(allowScripts: { one: true })
    %w[npm pnpm].each do |tool|
      write("pnpm-workspace.yaml", "allowBuilds:\n  one: true\n")
      [["evil", "1.0.0"], ["one", "6.6.6"]].each do |name, version|
        add("one", "1.0.0", {}, key: tool == "pnpm" ? "one@1.0.0" : "node_modules/one")
        write("node_modules/one/package.json", JSON.generate(name:, version:, scripts: { install: say("a") }))
        outcome = run_scripts(tool)

        assert_empty said
        assert_equal 1, outcome.pending.size
        assert_match(/one@1\.0\.0 in the lockfile is an archive of #{name}@#{version}/, @events.last[:message])
      end
    end
  end

  def test_allowed_scripts_run_once_in_order_in_their_folder
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { postinstall: say("c"), preinstall: say("$PWD"), install: say("b") })

    assert_equal ["node_modules/one"], run_scripts.built
    assert_equal ["#{@root}/node_modules/one", "b", "c"], said
    assert_equal ["node_modules/one"], run_scripts.built
    assert_equal 3, said.size
  end

  def test_scripts_of_a_package_that_was_placed_again_run_again
    manifest(allowScripts: { one: true })
    2.times do
      add("one", "1.0.0", { install: say("a") })
      run_scripts
    end

    assert_equal %w[a a], said
  end

  def test_the_projects_own_scripts_run
    events = %w[preinstall install postinstall prepublish preprepare prepare postprepare]
    manifest(scripts: events.to_h { |event| [event, say(event)] }.merge("test" => say("test")))
    run_scripts

    assert_equal events, said
    File.delete("#{@base}/said")
    run_scripts("pnpm")

    assert_equal events - ["prepublish"], said
  end

  def test_workspace_packages_run_their_scripts
    manifest
    write("apps/shop/package.json", JSON.generate(name: "x", scripts: { prepare: say("prepare"), install: say("x") }))
    run_scripts(projects: [".", "apps/shop"])

    assert_equal %w[prepare x], said
  end

  def test_no_script_runs_with_scripts_disabled
    manifest(allowScripts: { one: true }, scripts: { install: say("own") })
    add("one", "1.0.0", { install: say("a") })
    run_scripts(ignore_scripts: true)
    told = { "npm_config_ignore_scripts" => "true", "npm_config_registry" => "http://r.test/", "HOME" => @root }
    run_scripts(configuration: Spate::JS::Configuration.load(root: @root, env: told))

    assert_empty said
  end

  def test_scripts_of_dependencies_run_first
    manifest(allowScripts: %w[a b c].to_h { |name| [name, true] })
    add("a", "1.0.0", { install: say("a") }, needs: ["node_modules/between"])
    add("between", "1.0.0", {}, needs: ["node_modules/b"])
    add("b", "1.0.0", { install: "sleep 0.2; #{say("b")}" }, needs: ["node_modules/c"])
    add("c", "1.0.0", { install: "sleep 0.2; #{say("c")}" }, needs: ["node_modules/a"])
    run_scripts(jobs: 4)

    assert_equal %w[a c b], said, "a circle begins somewhere" if said.first == "a"
    assert_equal %w[a b c], said.sort
    assert_operator said.index("c"), :<, said.index("b")
  end

  def test_environment_equals_that_of_the_tool
    manifest(allowScripts: { one: true })
    add("one", "1.2.3", { install: "env > #{@base}/env" })
    @env["npm_package_name"] = "outer"
    run_scripts
    found = environment

    assert_equal ["one", "1.2.3", "install", "env > #{@base}/env", @root],
                 found.values_at("npm_package_name", "npm_package_version", "npm_lifecycle_event",
                                 "npm_lifecycle_script", "INIT_CWD")
    path = found["PATH"].split(":")

    assert_equal ["#{@root}/node_modules/one/node_modules/.bin", "#{@root}/node_modules/node_modules/.bin",
                  "#{@root}/node_modules/.bin"], path.first(3)
    assert_path_exists found["npm_node_execpath"]
  end

  def test_no_credentials_are_passed_on
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { install: "env > #{@base}/env" })
    secrets = { "npm_config_//registry.test/:_authToken" => "s3cret-1", "npm_config__auth" => "s3cret-2",
                "NPM_CONFIG__PASSWORD" => "s3cret-3", "npm_config_@a:registry" => "s3cret-4",
                "npm_config_otp" => "s3cret-5" }
    @env.update(secrets)
    write(".npmrc", "//registry.test/:_authToken=s3cret-6\n_auth=s3cret-7\n//registry.test/:_password=s3cret-8\n" \
                    "loglevel=warn\n")
    run_scripts(configuration: JS::Configuration.load(root: @root, env: @env))

    refute_match(/s3cret/, File.read("#{@base}/env"))
    assert_equal "warn", environment["npm_config_loglevel"]
  end

  def test_a_failure_reports_its_last_lines_and_keeps_the_log
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { install: "echo first; echo 'Error: no such thing' >&2; exit 3" })
    error = assert_raises(JS::ScriptFailed) { run_scripts }

    assert_match(/\Aone@1\.0\.0: its script install failed \(exit code 3\)/, error.message)
    assert_equal ["first", "Error: no such thing"], error.details
    log = error.message[/full log: (\S+)/, 1]

    assert_match(/no such thing/, File.read(log))
    assert_equal [0o600, 0o700], [log, File.dirname(log)].map { |path| File.stat(path).mode & 0o777 }
  end

  def test_a_package_whose_script_failed_is_placed_again
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { install: "echo half > half; exit 3" })
    assert_raises(JS::ScriptFailed) { run_scripts }

    refute_path_exists "#{@root}/node_modules/one/package.json"
  end

  # A planner places no package with scripts in a shared slot. Even if one did, its script would not run.
  def test_no_script_runs_in_a_shared_slot
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { install: say("a") }, path: "#{@base}/global/one", key: "one")
    run_scripts

    assert_empty said
  end

  def test_interruption_ends_all_running_scripts
    manifest(allowScripts: { one: true, two: true })
    %w[one two].each { |name| add(name, "1.0.0", { install: "echo $$ > #{@base}/#{name}; sleep 60 & wait" }) }
    thread = Thread.new { run_scripts(jobs: 2) }
    thread.report_on_exception = false
    pids = %w[one two].map { |name| wait_for("#{@base}/#{name}") }
    thread.raise(Interrupt)

    assert_raises(Interrupt) { thread.value }
    assert_gone pids
  end

  def test_scripts_end_with_a_spate_that_is_killed
    manifest(scripts: { install: "echo $$ > #{@base}/own; sleep 60" })
    pid = fork { run_scripts }
    child = wait_for("#{@base}/own")
    Process.kill(:KILL, pid)
    Process.wait(pid)

    assert_gone [child]
  end

  def test_an_optional_package_may_fail
    manifest(allowScripts: { one: true, two: true })
    add("one", "1.0.0", { install: "exit 3" }, optional: true)
    add("two", "1.0.0", { install: say("two") })
    outcome = run_scripts

    assert_equal [["node_modules/one"], ["node_modules/two"]], [outcome.skipped, outcome.built]
  end

  def test_without_node_it_is_an_error_only_where_a_script_must_run
    manifest(allowScripts: { one: true })
    add("two", "1.0.0", { install: say("two") })
    Dir.mkdir(tools = "#{@base}/tools")
    File.symlink("/bin/sh", "#{tools}/sh")
    @env["PATH"] = tools
    run_scripts
    add("one", "1.0.0", { install: say("one") })

    assert_raises(JS::NodeMissing) { run_scripts }
  end

  def test_the_stores_own_files_are_never_written
    manifest(allowScripts: { one: true })
    add("one", "1.0.0", { install: "echo more >> data; chmod 700 tool" }, files: { "data" => "x\n", "tool" => "y" })
    %w[data tool].each { |name| File.link("#{@root}/node_modules/one/#{name}", "#{@base}/#{name}") }
    run_scripts

    assert_equal "x\n", File.read("#{@base}/data")
    refute_equal 0o700, File.stat("#{@base}/tool").mode & 0o777
    assert_equal "x\nmore\n", File.read("#{@root}/node_modules/one/data")
  end

  def test_guard_of_pnpm_prints_nothing
    manifest(scripts: { preinstall: "npx only-allow pnpm", install: say("a") })
    run_scripts("pnpm")

    assert_equal ["a"], said
  end

  def test_a_restore_in_a_script_of_the_same_project_ends
    spate = "ruby --disable-gems #{File.expand_path("../../../exe/spate", __dir__)} js"
    write("package-lock.json", JSON.generate(lockfileVersion: 3, packages: { "": { name: "app", version: "1.0.0" } }))
    manifest(scripts: { postinstall: spate })
    error = assert_raises(JS::ScriptFailed) do
      Timeout.timeout(30) { Spate::Install::BundleFolder.lock(@root) { run_scripts } }
    end

    assert_match(/is locked by the spate process that runs this script/, error.details.join("\n"))
  end

  def test_a_package_that_replaces_node_causes_one_warning
    write("node_modules/evil/node", "#!/bin/sh\n", mode: 0o755)
    FileUtils.mkdir_p("#{@root}/node_modules/.bin")
    File.symlink("../evil/node", "#{@root}/node_modules/.bin/node")
    manifest(allowScripts: { one: true, two: true })
    %w[one two].each { |name| add(name, "1.0.0", { install: "node x" }) }
    run_scripts
    told = @events.filter_map { |event| event[:message] if event[:event] == :warning }

    assert_equal ["scripts of one@1.0.0 run an executable of a package as node: #{@root}/node_modules/.bin/node"],
                 told.map { |text| text.sub("two@", "one@") }
  end

  private

  def wait_for(path)
    sleep 0.01 until File.size?(path)
    File.read(path).to_i
  end

  def assert_gone(pids)
    200.times { pids.any? { |pid| Spate::Util::Child.alive?(pid) } ? sleep(0.02) : break }

    assert_empty(pids.select { |pid| Spate::Util::Child.alive?(pid) })
  end

  def environment = File.readlines("#{@base}/env", chomp: true).to_h { |line| [*line.split("=", 2), ""].first(2) }
end
