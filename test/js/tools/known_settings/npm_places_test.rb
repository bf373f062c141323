# frozen_string_literal: true

require_relative "npm_settings_case"

module Spate
  # Settings in other places than the project's .npmrc.
  class KnownSettingsNpmPlacesTest < KnownSettingsNpmCase
    def test_in_the_environment
      %w[package-lock-only global strict-npmrc email workspaces].each do |key|
        assert_same("", environment(VIOLATIONS[key]))
      end
      assert_same("", "NPM_CONFIG_Dry_Run" => "true")
      assert_same("", "npm_config_allow_scripts" => "a")
      assert_same("allow-scripts=a")
    end

    # Only where the lockfile does not say where a package is, npm asks how old it is.
    def test_ages
      assert assert_same("min-release-age=9999").first
      edit("node_modules/a", "resolved" => nil)
      lines = %w[min-release-age=9999 before=2001-01-01 min-release-age=0]

      assert_equal [false, false, true], lines.map { |line| assert_same(line).first }
      assert_same("min-release-age=9999\nmin-release-age-exclude=a")
      [NPM11, NPM12].each { |version| with_npm(version) { refute assert_same(lines.first).first } }
    end

    def test_in_files_of_the_user_and_the_machine
      %w[dry-run=true location=global].each do |line|
        { "userconfig" => "user", "globalconfig" => "global" }.each do |key, name|
          File.write("#{@home}/#{name}", "#{line}\n")
          assert_same("", "npm_config_#{key}" => "#{@home}/#{name}")
        end
        File.write("#{@home}/.npmrc", "#{line}\n")
        assert_same("")
        assert_same("#{line.sub("true", "false").sub("global", "project")}\n")
        File.delete("#{@home}/.npmrc")
      end
    end
  end
end
