# frozen_string_literal: true

require_relative "npm_settings_case"

module Spate
  # Settings in the environment and in files of the user and the machine, unusual values, and release ages have the same
  # effect as in npm.
  class KnownSettingsNpmPlacesTest < KnownSettingsNpmCase
    def test_in_the_environment
      %w[package-lock-only global strict-npmrc email workspaces].each do |key|
        assert_same("", environment(VIOLATIONS[key]))
      end
      assert_same("", "NPM_CONFIG_Dry_Run" => "true")
      assert_same("", "npm_config_allow_scripts" => "a")
      assert_same("allow-scripts=a")
    end

    # npm does not validate settings during an install: any text is true, and so are lists and sections.
    def test_values_that_are_not_plain_booleans
      %w[0 no ${SAYS_FALSE} ${EMPTY}].each do |value|
        ["engine-strict=#{value}", "dry-run=#{value}"].each do |line|
          assert_same(line, "SAYS_FALSE" => "false", "EMPTY" => "")
        end
      end
      ["engine-strict[]=false", "engine-strict='1'", "engine-strict='0'", "[dry-run]\nx=1", "[offline.x]",
       "force[]=false\nengine-strict=true"].each { |lines| assert_same(lines) }
      assert_same("", "npm_config_dry_run" => "0")
    end

    # npm queries the age of a package only if the lockfile does not contain its address.
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
