# frozen_string_literal: true

require_relative "npm_settings_case"

module Spate
  # The tables of KnownSettings::Npm contain every setting that npm declares.
  class KnownSettingsNpmTest < KnownSettingsNpmCase
    # Settings that affect which others are rejected. Their own tests are elsewhere.
    ELSEWHERE = %w[force legacy-peer-deps strict-peer-deps].freeze

    def test_every_setting_in_the_tables_has_a_test
      tables = KNOWN.values_at(*%i[APPLIED LEFT AGES NOT_IN_ENVIRONMENT EXCLUSIVE ADDRESSED])
      groups = [tables[4].flatten - VIOLATIONS.keys, %w[keyfile], ELSEWHERE, KNOWN[:AGES], KNOWN[:NOT_IN_ENVIRONMENT]]

      assert_equal tables.flat_map { |each| each.is_a?(Hash) ? each.keys : each.flatten }.sort,
                   (VIOLATIONS.keys + groups.flatten).sort
    end

    def test_values_that_spate_supports
      JS::Tools::KnownSettings::Npm::LEFT.each do |key, values|
        values.grep_v(Array).each do |value|
          File.write("#{@root}/.npmrc", "#{key}=#{value}\n")

          assert plan_in(environment("")), "#{key}=#{value}"
        end
      end
    end

    # npm may fail because of a setting that is not in the tables.
    def test_settings_that_only_the_tool_knows
      folder = FileUtils.mkdir_p("#{@root}/npm/node_modules/@npmcli/config/lib/definitions").first
      File.write("#{folder}/definitions.js", "  'refuse-all': new Definition('refuse-all', {\n  kept: new Definition(")
      FileUtils.mkdir_p("#{@root}/npm/bin")
      %w[npm npm-cli.js].each { |name| File.write("#{@root}/npm/bin/#{name}", "", perm: 0o755) }
      env = environment("").merge("PATH" => "#{@root}/npm/bin:#{ENV.fetch("PATH")}")

      assert_equal [nil, ["refuse-all is set"], ["refuse-all is set", "unused is set"]], [
        unknown(env, "12.9.0", "unused=1"), unknown(env, "12.9.0", "refuse-all=0\nunused=1"),
        unknown(env, "13.0.0", "refuse-all=0\nunused=1")
      ]
      assert_equal ["kept is set"], unknown(env.merge("npm_config_kept" => "x"), "11.0.0", "")
      File.write("#{folder}/definitions.js", "moved")

      assert_equal ["unused is set"], unknown(env, "12.9.0", "unused=1")
    end

    # Both versions declare their settings in the same format.
    def test_the_tables_have_all_that_npm_declares
      [NPM11, NPM12].each { |version| with_npm(version) { assert_declared } }
    end

    private

    KnownSettings = JS::Tools::KnownSettings
    KNOWN = KnownSettings::Npm.constants.to_h { |name| [name, KnownSettings::Npm.const_get(name)] }

    def assert_declared
      text = JS::Configuration::NpmFolder.new(environment("")).definitions
      declared = text.scan(/^  '?([^\s']+)'?: new Definition\(/).flatten

      assert_operator declared.size, :>, 150
      assert_empty declared - KnownSettings::Npm::KNOWN.keys
    end

    def unknown(env, version, lines)
      write_json("npm/package.json", "name" => "npm", "version" => version)
      File.write("#{@root}/.npmrc", lines)
      plan_in(env)
      nil
    rescue JS::LeftToTool => e
      e.reasons
    end
  end
end
