# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "support/project"

# `spate install --js` with real gems and a fake restore of packages: options, settings, and failures of one part or
# both.
class WithPackagesTest < CLICase
  LIB = File.expand_path("../../../../lib", __dir__)
  # Replaces JS.restore. Environment variables make it fail or wait.
  RESTORE = <<~'RUBY'
    require "spate"
    Spate::JSGem.activate
    def (Spate::JS).restore(root:, env:, store:, events:, options:, backlog: nil)
      raise Spate::JS::LockfileError.new("package-lock.json: no", hint: "npm install") if ENV["FAILS"]

      events.emit(:js_plan, total: 1356, fetch: 0)
      if ENV["WAITS"]
        begin
          $stderr.puts "waiting"
          sleep 20
        ensure
          $stderr.puts "packages cleaned up"
        end
      end
      Spate::JS::Restore::Report.new.tap do |report|
        report.total = report.from_store = 1356
        report.noop = true if ENV["NOOP"]
        report.warnings << "jobs #{options.jobs}, copy #{options.copy.inspect}, local #{options.local.inspect}"
      end
    end
  RUBY

  def setup
    @source = GemSource.start
    @source.add("tool", "1.0")
    @project = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n")
    @project.lock
    write("app/package.json", "{}\n")
    write("app/package-lock.json", "{\"lockfileVersion\":3,\"packages\":{\"\":{}}}\n")
    write("restore.rb", RESTORE)
  end

  def teardown
    @source.stop
    super
  end

  def install(*arguments, **extra)
    @project.run("ruby", "--disable-gems", "-I#{LIB}", "-r#{folder}/restore.rb",
                 File.expand_path("../../../../exe/spate", __dir__), "install", *arguments, **extra)
  end

  def config = File.exist?(@project.path(".bundle/config")) ? File.read(@project.path(".bundle/config")) : ""

  def test_installs_gems_and_packages_and_saves_the_setting
    said, status = install("--js")

    assert_predicate status, :success?, said
    assert_includes said, "remembered in .bundle/config: spate.js true\n"
    assert_match(/\A1 gem and 1,356 packages in [\d.]+ s: 1 from the network \(.*\), 1,356 from the store$/,
                 said.lines.last)
    assert_match(/BUNDLE_SPATE__JS: "true"/, config)
    assert_match(/\A1 gem and 1,356 packages in place, nothing to do/, install(NOOP: "1").first)

    said, = install("--no-js")
    assert_match(%r{\Aremoved from .bundle/config: spate.js\n1 gem in place, nothing to do}, said)
    refute_match(/SPATE/, config)
    assert_match(/\A1 gem in place/, install.first)
  end

  # The official Docker images of Ruby set BUNDLE_APP_CONFIG: a setting of one project must not apply to others.
  def test_no_setting_is_saved_if_it_is_set_globally
    shared = "#{folder}/shared"
    said, status = install("--js", BUNDLE_APP_CONFIG: shared)

    assert_predicate status, :success?, said
    assert_includes said, "not remembered: spate.js true; other applications may use #{shared}/config as well\n"
    assert_match(/^1 gem in place/, install(BUNDLE_APP_CONFIG: shared).first)
  end

  def test_json_ends_with_the_gems_summary
    events = install("--js", "--json").first.lines.grep(/\A\{/).map { |line| JSON.parse(line)["event"] }

    assert_equal %w[js_done done], events.last(2)
    assert_includes events, "js_plan"
    assert_includes events, "linked"
  end

  def test_packages_fail_alone
    said, status = install("--js", FAILS: "1")

    assert_equal 3, status.exitstatus
    assert_match(/^1 gem in [\d.]+ s: .*\nerror: packages: package-lock.json: no\nhint: npm install\n\z/, said)
    assert_equal %w[tool-1.0], @project.installed
  end

  def test_gems_fail_alone
    @source.stop
    said, status = install("--js")

    assert_equal 6, status.exitstatus
    assert_match(/^1,356 packages in .*\nerror: gems: /, said)
  end

  def test_both_failures_are_reported
    @source.stop
    said, status = install("--js", "--json", FAILS: "1")
    errors = said.lines.grep(/\A\{"event":"error"/).map { |line| JSON.parse(line) }

    assert_equal [3, %w[packages gems]], [status.exitstatus, errors.map { |error| error["half"] }]
    assert_equal [3, 6], errors.map { |error| error["exit_code"] }
  end

  def test_a_signal_ends_both
    reader, writer = IO.pipe
    environment = @project.env.merge("WAITS" => "1")
    pid = Process.spawn(environment, RbConfig.ruby, "--disable-gems", "-I#{LIB}", "-r#{folder}/restore.rb",
                        File.expand_path("../../../../exe/spate", __dir__), "install", "--js",
                        chdir: @project.folder, out: writer, err: writer)
    writer.close
    line = reader.gets until line == "waiting\n" || reader.eof?
    Process.kill(:INT, pid)

    assert_equal 130, Process.wait2(pid).last.exitstatus
    assert_match(/packages cleaned up\n.*interrupted: completed steps are kept/m, reader.read)
  ensure
    reader.close
  end

  # --jobs, --copy and --local apply to both parts. --copy is remembered.
  def test_options_of_both
    install("--js", "--copy", "--jobs", "2")
    told = [%w[--jobs 3], %w[--no-copy --local]].map do |arguments|
      done = install("--json", *arguments).first.lines.grep(/js_done/).first
      JSON.parse(done)["warnings"].first
    end

    assert_equal ["jobs 3, copy true, local nil", "jobs , copy false, local true"], told
    install("--copy")
    FileUtils.mv(@project.path("package-lock.json"), @project.path("bun.lock"))

    assert_match(/"jobs , copy nil, local nil"/, install("--json").first)
  end

  # `spate restore` restores only gems.
  def test_restore_with_the_saved_setting
    install("--js")
    [%w[--all], %w[tool]].each do |names|
      said, status = @project.run("ruby", "--disable-gems", "-I#{LIB}",
                                  File.expand_path("../../../../exe/spate", __dir__), "restore", *names)

      assert_predicate status, :success?, said
    end
  end

  def test_no_project
    FileUtils.rm([@project.path("package.json"), @project.path("package-lock.json")])
    said, status = install("--js")

    assert_equal 2, status.exitstatus
    assert_match(/^1 gem in .*\nerror: packages: neither .* has a package.json\nhint: run the command in the project/,
                 said)
    assert_equal [%w[tool-1.0], ""], [@project.installed, config]
    assert_predicate install.last, :success?
    @project.bundle("config", "set", "--local", "spate.js", "true")
    assert_match(/^hint: to install only gems: spate install --no-js$/, install.first)
  end

  def test_no_lockfile
    FileUtils.rm(@project.path("package-lock.json"))
    said, status = install("--js")

    assert_equal [3, %w[tool-1.0], ""], [status.exitstatus, @project.installed, config]
    assert_match(/^1 gem in .*\nerror: packages: .* has a package.json and no lockfile\n/, said)
    @project.bundle("config", "set", "--local", "spate.js", "true")
    said, status = install

    assert_equal 3, status.exitstatus
    assert_match(/\A1 gem in place.*\nerror: packages: /, said)
  end
end
