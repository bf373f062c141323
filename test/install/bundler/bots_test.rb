# frozen_string_literal: true

require "install/install_case"

# Dependabot, Renovate and editors run Bundler alone: the lockfile that it writes, and Spate's, are the same.
class BotsTest < InstallCase
  def setup
    super
    @source.add("tool", "1.0", dependencies: { "base" => ">= 1" })
    @source.add("base", "1.2")
    @project = app("app", gems: %w[tool])
    @project.spate!("install")
    @source.add("base", "1.3")
  end

  # A checkout without Spate and without gems, in which a bot changes the lockfile.
  def bot(*command)
    clone = app("clone", gems: %w[tool])
    FileUtils.cp(@project.path("Gemfile.lock"), clone.path("Gemfile.lock"))
    clone.bundle(*command)
    File.read(clone.path("Gemfile.lock"))
  end

  def lockfile = File.read(@project.path("Gemfile.lock"))

  def test_lockfile_of_a_bot_is_installed_as_it_is
    changed = bot("lock", "--update", "base")
    assert_match(/base \(1\.3\)/, changed)
    File.write(@project.path("Gemfile.lock"), changed)

    assert_match(/^2 gems in .*1 from the network/, @project.spate!("install", "--frozen"))
    @project.spate!("lock")
    assert_equal changed, lockfile
  end

  def test_bot_does_not_change_the_lockfile_of_spate
    @project.spate!("update", "base")
    assert_match(/base \(1\.3\)/, lockfile)

    assert_equal lockfile, bot("lock")
  end
end
