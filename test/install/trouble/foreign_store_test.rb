# frozen_string_literal: true

require "install/build_case"

# A store that this user can read but not write. New builds are stored in a folder of the user.
class ForeignStoreTest < InstallBuildCase
  STRANGER = 65_534

  def setup
    super
    skip "needs root, for another user and a mount" unless Process.euid.zero?
    native("alpha")
    native("beta")
    install(another("alpha"))
    # Puts everything of beta into the store, except its build.
    install(another("beta"))
    FileUtils.rm_rf(Dir.glob("#{store}/builds/*") - kept_builds("alpha"))
  end

  def test_another_user
    own = theirs("own")
    project = theirs_project("first", own)
    assert_equal [%w[beta], %w[alpha]], as_nobody(project)
    assert_equal ["the store #{store} is not writable: builds are stored in #{own}/.cache/spate/store/v1"], warnings
    assert_equal [[], %w[alpha beta]], as_nobody(theirs_project("second", own))
    assert_empty warnings, "nothing was built"
    assert_equal "1", value(project, "beta")
    assert_equal [STRANGER], Dir.glob("#{own}/.cache/spate/store/v1/builds/*").map { |path| File.stat(path).uid }.uniq
    assert_equal [%w[beta], %w[alpha]], install(another("alpha", "beta")), "root's store does not have it"
  end

  # The sources of the bundle are recorded in a folder to which this user can write.
  def test_another_user_checks_and_restores
    project = theirs_project("first", theirs("own"))
    as_nobody(project)
    assert_equal [0, %w[checked]], checked(project)
    built, = Dir.glob("#{project.bundle_root}/gems/beta-1.0/lib/**/*.so")
    File.write(built, "mine")
    assert_equal [0, %w[edited checked]], checked(project)
    output, status = run_as_nobody(project, "restore", "beta", "--local")
    assert_equal 0, status.exitstatus, output
    refute_includes output, "build_start"
    assert_equal "1", value(project, "beta")
    assert_equal [0, %w[checked]], checked(project)
  end

  # `spate edit` cannot replace files of another user. Another store would not help.
  def test_edit_in_a_bundle_of_another_user
    File.chmod(0o755, folder)
    project = another("alpha")
    run_install(project)
    %w[edit restore].each do |command|
      output, status = run_as_nobody(project, command, "alpha")
      assert_equal 9, status.exitstatus, output
      error = JSON.parse(output.lines.grep(/"error"/).first)
      assert_match(%r{/alpha-1\.0/.* belongs to root \(user 0\), this is \w+ \(user #{STRANGER}\)\z}, error["message"])
      assert_match(/\Arun the command as that user, .*bundle config set --local path DIR/, error["hint"])
    end
  end

  def test_another_user_without_a_home
    project = theirs_project("first", "/nonexistent")
    assert_equal [%w[beta], %w[alpha]], as_nobody(project)
    assert_equal ["the store #{store} is not writable: builds are not stored"], warnings
    assert_equal "1", value(project, "beta")
    assert_equal [%w[beta], %w[alpha]], as_nobody(theirs_project("second", "/nonexistent"))
  end

  def test_failed_build_is_reported_as_usual
    native("broken", extconf: "abort 'no such thing'")
    archives = another("broken")
    run_install(archives)
    output, status = run_as_nobody(theirs_project("first", theirs("own"), "broken"))
    assert_equal 10, status.exitstatus, output
    assert_includes output, "no such thing"
  end

  def test_a_read_only_mount
    home = "#{folder}/home/spate"
    assert system("mount", "--bind", home, home)
    (@mounts ||= []) << home
    assert system("mount", "-o", "remount,bind,ro", home)

    assert_equal [%w[beta], %w[alpha]], install(first = another("alpha", "beta"))
    assert_equal 1, warnings.grep(%r{is not writable: builds are stored in #{folder}/home/.cache/spate}).size
    assert_equal [[], %w[alpha beta]], install(second = another("alpha", "beta"))
    assert_equal %w[1 1], [first, second].map { |project| value(project, "beta") }
  end

  private

  def store = "#{folder}/home/spate/store/v1"

  def kept_builds(name)
    Dir.glob("#{store}/builds/*").select { |path| File.binread(path).include?("gems/#{name}-1.0/") }
  end

  # A folder that belongs to the other user.
  def theirs(name)
    path = FileUtils.mkdir_p(File.join(folder, name)).first
    File.chown(STRANGER, STRANGER, path)
    path
  end

  # Creates the project of another user. The gems are in the store, so nothing is fetched.
  def theirs_project(name, home, *gems)
    gems = %w[alpha beta] if gems.empty?
    File.chmod(0o755, folder)
    project = app(name, gems: gems, SPATE_HOME: "#{folder}/home/spate", HOME: home, BUNDLE_USER_HOME: "#{home}/.bundle")
    FileUtils.chown_R(STRANGER, STRANGER, project.folder)
    project
  end

  def as_nobody(project)
    output, status = run_as_nobody(project)
    assert_equal 0, status.exitstatus, output
    @events = output.lines.grep(/\A\{/).map { |line| JSON.parse(line) }
    done = @events.select { |event| event["event"] == "build_done" }
    done.partition { |event| !event["cached"] }.map { |events| events.map { |event| event["name"] }.sort }
  end

  # The exit code, and the names of the events.
  def checked(project)
    output, status = run_as_nobody(project, "check")
    [status.exitstatus, output.lines.grep(/\A\{/).map { |line| JSON.parse(line)["event"] }]
  end

  def run_as_nobody(project, *command)
    command = %w[install] if command.empty?
    root = File.expand_path("../../..", __dir__)
    project.run("setpriv", "--reuid=#{STRANGER}", "--regid=#{STRANGER}", "--clear-groups", "ruby", "--disable-gems",
                "-I#{root}/lib", "#{root}/exe/spate", *command, "--json", TMPDIR: theirs("tmp"))
  end
end
