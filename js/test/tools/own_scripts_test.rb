# frozen_string_literal: true

require_relative "tools_case"

# In projects that another tool restores, the project's own scripts run unless a setting disables them.
class JSToolsOwnScriptsTest < Minitest::Test
  include JSToolsCase

  TOOLS = { "package-lock.json" => "npm", "pnpm-lock.yaml" => "pnpm", "yarn.lock" => "yarn",
            "bun.lock" => "bun" }.freeze
  OWN = { "pnpm-lock.yaml" => ["pnpm-workspace.yaml", "ignoreScripts: true\n"],
          "yarn.lock" => [".yarnrc", "ignore-scripts true\n"],
          "bun.lock" => ["bunfig.toml", "[install]\nignoreScripts = true\n"] }.freeze

  def setup
    super
    program("node")
    @env["SPATE_HOME"] = "#{@root}/spate"
    @env["PATH"] += ":/bin"
  end

  def test_scripts_run
    TOOLS.each_key { |lockfile| assert runs?(lockfile), lockfile }
  end

  def test_configuration_disables_scripts
    TOOLS.each_key { |lockfile| refute runs?(lockfile, ".npmrc", "ignore-scripts=true\n"), lockfile }
    OWN.each { |lockfile, (file, text)| refute runs?(lockfile, file, text), file }
    @env["npm_config_ignore_scripts"] = "true"
    refute runs?("yarn.lock")
  end

  def test_user_settings_disable_scripts
    File.write("#{@home}/.npmrc", "ignore-scripts=true\n")

    refute runs?("yarn.lock")
  end

  private

  def runs?(lockfile, file = nil, text = nil)
    FileUtils.rm_rf([app, "#{@root}/ran"])
    program(TOOLS[lockfile], "[ \"$1\" = --version ] && echo 9.0.0; exit 0")
    write(file, text) if file
    restore(project(lockfile, package: %({"scripts":{"postinstall":"touch #{@root}/ran"}})))
    File.exist?("#{@root}/ran")
  end
end
