# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "timeout"
require "support/npm_registry"
require "support/project"

# `spate install --js` installs gems and restores packages, both from local servers.
class BothHalvesTest < CLICase
  LIB = File.expand_path("../../../../lib", __dir__)
  EXE = File.expand_path("../../../../exe/spate", __dir__)

  def setup
    @source = GemSource.start
    @source.add("tool", "1.0")
    @registry = NpmRegistry.start
    @registry.add("hello", "1.0.0", files: { "index.js" => "1\n" })
    @project = Spate::TestProject.new(File.join(folder, "app"), "source '#{@source.url}'\ngem 'tool'\n", env: variables)
    @project.lock
    lock
  end

  def teardown
    @source.stop
    @registry.stop
    super
  end

  def variables
    NpmRegistry.env(@registry, home: File.join(folder, "home")).slice("npm_config_registry", "NO_PROXY")
  end

  def lock
    root = { name: "app", version: "1.0.0", dependencies: { "hello" => "1.0.0" } }
    hello = { version: "1.0.0", resolved: @registry.resolved("hello", "1.0.0"),
              integrity: @registry.integrity("hello", "1.0.0") }
    write("app/package.json", JSON.generate(root))
    write("app/package-lock.json", JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3,
                                                 packages: { "" => root, "node_modules/hello" => hello }))
  end

  def test_installed_checked_and_in_place
    assert_match(/^1 gem and 1 package in [\d.]+ s: 2 from the network \(.*\)$/, @project.spate!("install", "--js"))
    assert_match(/\A1 gem and 1 package in place, nothing to do/, @project.spate!("install"))
    assert_equal "node_modules is complete: 1 package\nthe bundle is complete: 1 gem\n", @project.spate!("check")

    File.unlink(@project.path("node_modules/hello/index.js"))
    said, status = @project.spate("check")
    assert_equal 11, status.exitstatus
    assert_match(%r{node_modules/hello/index.js is missing.*the bundle is complete}m, said)
    assert_match(/\A1 package in [\d.]+ s: 1 from the store/, @project.spate!("js", "--restore", "hello"))
    @project.spate!("check")
  end

  def test_a_timeline_of_both
    @project.spate!("install", "--js", "--timeline", "page.html")
    run = JSON.parse(File.read(@project.path("page.html"))[Spate::CLI::Timeline::Page::DATA, 1])["runs"].first

    spans = run["spans"].map { |name, gem, phase| [name, gem, phase] }
    assert_includes spans, ["tool-1.0", true, "unpack"]
    assert_includes spans, ["hello@1.0.0", false, "unpack"]
    assert_equal "spate install --js", run["command"]
  end

  # The registry does not respond, so the thread that fetches packages waits.
  def test_a_signal_while_packages_are_fetched
    @registry.fault(%r{/-/hello}, :stall)
    reader, writer = IO.pipe
    pid = Process.spawn(@project.env, RbConfig.ruby, "--disable-gems", "-I#{LIB}", EXE, "install", "--js", "--json",
                        chdir: @project.folder, out: writer, err: writer)
    writer.close
    assert reader.each_line.find { |line| line.include?("js_fetch_start") }
    Process.kill(:INT, pid)
    status = Timeout.timeout(10) { Process.wait2(pid).last }

    said = reader.read
    assert_equal 130, status.exitstatus, said
    assert_match(/"exit_code":130/, said)
    assert_empty Dir.glob(File.join(@project.store.root, "tmp/*"))
    refute_path_exists @project.path("node_modules/hello")
  ensure
    reader.close
  end

  # On a terminal, an install of gems prints the hint once, and never with --quiet.
  def test_the_hint
    screen = Screen.new
    terminal = terminal(err: screen, env: {})
    install = lambda do |*arguments|
      screen.truncate(0)
      Dir.chdir(@project.folder) { Spate::CLI::Install.run(arguments, terminal: terminal, env: @project.env.compact) }
      screen.string
    end
    assert_match(/hint:\S* node_modules, too: spate install --js$/, install.call)
    refute_match(/node_modules/, install.call)
    FileUtils.rm_rf(@project.path("vendor"))
    refute_match(/node_modules/, install.call("--quiet"))
  end
end
