# frozen_string_literal: true

require "json"
require "install/install_case"

# Users without a writable home, for example in containers. Each command uses a temporary store, prints one warning and
# leaves no file.
class TemporaryTest < InstallCase
  STRANGER = 65_530 # in no passwd file
  HOMES = { "not_set" => nil, "missing" => "/nonexistent", "read_only" => :read_only }.freeze
  COMMANDS = ["install", "install", "check", "list", "doctor", "store status", "store path", "boot status", "js",
              "edit small"].freeze
  WARNING = /^warning: .*; the store is in (\S+) until this command ends$/

  def setup
    skip "needs root to become a user without a home" unless Process.euid.zero?

    super
    @source.add("small", "1.0")
    FileUtils.chmod(0o755, folder)
    @scratch = File.join(folder, "scratch")
    FileUtils.mkdir_p([@scratch, File.join(folder, "read_only")])
    File.chmod(0o1777, @scratch)
    @project = app(gems: %w[small])
    @project.run!("bundle", "lock")
    File.write(@project.path("package.json"), '{"name":"a","version":"1.0.0"}')
    File.write(@project.path("package-lock.json"), '{"name":"a","version":"1.0.0","lockfileVersion":3,"packages":' \
                                                   '{"":{"name":"a","version":"1.0.0"}}}')
    FileUtils.chown_R(STRANGER, STRANGER, @project.folder)
  end

  HOMES.each do |what, home|
    define_method("test_home_#{what}") do
      env = { "HOME" => home == :read_only ? File.join(folder, "read_only") : home }
      COMMANDS.each do |command|
        output, status = spate(command, env)
        assert_predicate status, :success?, "#{command}: #{output}"
        assert_equal 1, output.scan(WARNING).size, output
        assert_match(/^hint: set SPATE_HOME/, output)
      end
      %w[version help].each { |command| refute_match(WARNING, spate(command, env).first) }

      assert_equal %w[small-1.0], @project.installed
      assert_includes spate("exec ruby -e puts(Gem.loaded_specs['small'].full_name)", env).first, "small-1.0\n"
      assert_empty Dir.children(@scratch)
    end
  end

  # The earlier command's temporary store is gone, so the next command cannot compare files.
  def test_commands_that_need_a_record_report_that_there_is_none
    ["install", "edit small"].each { |command| assert_predicate spate(command, {}).last, :success? }
    output, status = spate("edit --list", {})
    assert_equal 9, status.exitstatus, output
    assert_match(/^error: a temporary store has no record of .*: the gems being edited there are unknown$/, output)
    assert_match(WARNING, output)
    refute_match(/spate install|restore/, output)

    add_package
    output, status = spate("js check", {})
    assert_equal 11, status.exitstatus, output
    assert_match(/^error: 1 package not in the temporary store: .* not compared\n.*^hint: set SPATE_HOME/m, output)
    refute_includes output, "--restore"
  end

  def test_boot_and_doctor_report_that_the_store_is_temporary
    spate("install", {})
    output, = spate("boot status", {})
    assert_equal [Spate::CLI::Boot::TEMPORARY], output.lines(chomp: true).grep_v(/^(warning|hint): /)
    assert_equal({}, JSON.parse(spate("boot status --json", {}).first.lines.last)["switches"])
    assert_equal 9, spate("boot build", {}).last.exitstatus

    output, status = spate("doctor", {})
    assert_predicate status, :success?, output
    assert_match(/^  odd     the store is temporary: each command starts with an empty store/, output)
    refute_match(/no store yet|has not installed|first `spate exec`|unknown to Spate/, output)
  end

  # SPATE_HOME was set explicitly, so no temporary store is used.
  def test_a_spate_home_that_cannot_be_written
    output, status = spate("install", { "SPATE_HOME" => "/nonexistent/spate" })

    assert_equal 9, status.exitstatus, output
    assert_match(/^hint: .*SPATE_HOME/, output)
    assert_predicate spate("install", { "SPATE_HOME" => @project.path("spate") }).last, :success?
    assert_path_exists @project.path("spate/store/v1")
  end

  def test_store_is_private_and_removed_after_an_interrupt
    script = "Spate::Store::Temporary.environment({}) { |_, folder| puts folder, File.stat(folder).mode.to_s(8) }; " \
             "$stdout.flush; Signal.trap('TERM') { exit }; sleep"
    lib = File.expand_path("../../lib", __dir__)
    IO.popen([*nobody({}), "ruby", "-I#{lib}", "-rspate", "-rspate/native", "-e", script]) do |child|
      path = child.gets.chomp

      assert_equal "40700", child.gets.chomp
      assert_path_exists path
      Process.kill("TERM", child.pid)
      child.read

      refute_path_exists path
    end
  end

  def test_store_is_not_where_another_user_could_replace_it
    File.chmod(0o777, @scratch) # without the sticky bit
    output, status = spate("install", {})

    assert_predicate status, :success?, output
    refute_includes output[WARNING, 1], @scratch
  end

  private

  def add_package
    integrity = "sha512-#{["0" * 64].pack("m0")}"
    FileUtils.mkdir_p(@project.path("node_modules/left"))
    File.write(@project.path("node_modules/left/package.json"), '{"name":"left","version":"1.0.0"}')
    File.write(@project.path("package.json"), '{"name":"a","version":"1.0.0","dependencies":{"left":"1.0.0"}}')
    left = { version: "1.0.0", resolved: "#{@source.url}left-1.0.0.tgz", integrity: integrity }
    packages = { "": { name: "a", version: "1.0.0", dependencies: { left: "1.0.0" } }, "node_modules/left": left }
    lockfile = { name: "a", version: "1.0.0", lockfileVersion: 3, packages: packages }
    File.write(@project.path("package-lock.json"), JSON.generate(lockfile))
    FileUtils.chown_R(STRANGER, STRANGER, @project.folder)
  end

  def nobody(env)
    given = { "PATH" => ENV.fetch("PATH"), "TMPDIR" => @scratch, "BUNDLE_PATH" => "vendor/bundle", **env }.compact
    ["setpriv", "--reuid=#{STRANGER}", "--regid=#{STRANGER}", "--clear-groups", "env", "-i",
     *given.map { |name, value| "#{name}=#{value}" }]
  end

  def spate(command, env)
    Open3.capture2e(*nobody(env), "ruby", "--disable-gems", File.expand_path("../../exe/spate", __dir__),
                    *command.split(" ", 4), chdir: @project.folder, stdin_data: "")
  end
end
