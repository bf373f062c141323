# frozen_string_literal: true

require "test_helper"

module Spate
  class SettingsTest < Minitest::Test
    def settings(local: nil, global: nil, env: {}, flags: {})
      write("app/.bundle/config", local) if local
      write("home/.bundle/config", global) if global
      Settings.load(root: app, env: { "HOME" => File.join(folder, "home") }.merge(env), flags: flags)
    end

    def app = File.join(folder, "app")

    def test_flag_beats_local_beats_environment_beats_global_beats_default
      all = { local: "---\nBUNDLE_RETRY: \"2\"\n", env: { "BUNDLE_RETRY" => "1" },
              global: "---\nBUNDLE_RETRY: \"9\"\n" }
      assert_equal 7, settings(**all, flags: { retry: 7 })[:retry]
      assert_equal 2, settings(**all)[:retry]
      FileUtils.rm_r(File.join(app, ".bundle"))
      assert_equal 1, settings(env: all[:env])[:retry]
      assert_equal 9, settings[:retry]
      FileUtils.rm_r(File.join(folder, "home"))
      assert_equal 3, settings[:retry]
    end

    def test_invalid_numbers
      found = settings(env: { "BUNDLE_JOBS" => "zz", "BUNDLE_RETRY" => "4", "BUNDLE_TIMEOUT" => "12x" })
      assert_equal [%w[jobs zz], %w[timeout 12x]], found.odd_numbers
      assert_equal [0, 12], [found[:jobs], found[:timeout]]
    end

    def test_origin
      found = settings(local: "---\nBUNDLE_JOBS: \"4\"\n", env: { "BUNDLE_PATH" => "x" },
                       global: "---\nBUNDLE_BIN: \"b\"\n", flags: { clean: true })
      origins = found.each.map { |name, value, origin| [name, value, origin] }
      assert_equal [["bin", "b", :global], ["clean", true, :flag], ["jobs", 4, :local], ["path", "x", :environment]],
                   origins
      assert_equal :default, found.origin(:timeout)
      assert_nil found.origin(:shebang)
    end

    def test_booleans_numbers_and_lists
      found = settings(env: { "BUNDLE_FROZEN" => "No", "BUNDLE_CLEAN" => "yes", "BUNDLE_JOBS" => "12x",
                              "BUNDLE_WITHOUT" => "a b:c", "BUNDLE_IGNORE_MESSAGES__HTTPARTY" => "1" })
      assert_equal false, found[:frozen]
      assert_equal true, found[:clean]
      assert_equal 12, found[:jobs]
      assert_equal %i[a b c], found[:without]
      assert_equal [], found[:with]
      assert_equal true, found["ignore_messages.httparty"]
      assert_equal false, found.bool(:deployment)
      assert_nil found[:deployment]
    end

    def test_explicit_frozen_takes_precedence_over_deployment
      assert_predicate settings(env: { "BUNDLE_DEPLOYMENT" => "1" }), :frozen?
      refute_predicate settings(env: { "BUNDLE_DEPLOYMENT" => "1", "BUNDLE_FROZEN" => "false" }), :frozen?
      assert_predicate settings(env: { "BUNDLE_FROZEN" => "true" }), :frozen?
    end

    def test_build_flags_of_gems_whose_names_have_dashes_and_dots
      found = settings(env: { "BUNDLE_BUILD__MY___GEM" => "--with-x=/y -O2", "BUNDLE_BUILD__A__B" => "--no" })
      assert_equal "--with-x=/y -O2", found.build_flags("my-gem")
      assert_equal "--no", found.build_flags("a.b")
      assert_nil found.build_flags("other")
    end

    def test_app_config_and_user_config_can_be_moved
      write("app/conf/config", "---\nBUNDLE_JOBS: \"5\"\n")
      write("elsewhere/config", "---\nBUNDLE_RETRY: \"6\"\n")
      env = { "BUNDLE_APP_CONFIG" => "conf", "BUNDLE_USER_HOME" => File.join(folder, "elsewhere") }
      assert_equal [5, 6], settings(env: env).then { |found| [found[:jobs], found[:retry]] }
      ignored = settings(env: env.merge("BUNDLE_IGNORE_CONFIG" => "1"))
      assert_equal [nil, 3], [ignored[:jobs], ignored[:retry]]
    end

    def test_group_in_with_and_without
      error = assert_raises(Settings::GroupConflict) do
        settings(local: "---\nBUNDLE_WITH: \"a:b\"\nBUNDLE_WITHOUT: \"b\"\n").validate!
      end
      assert_equal 12, error.exit_code
      assert_match(/both name b/, error.message)
    end

    def test_settings_left_to_bundler_come_with_their_reason
      found = settings(env: { "BUNDLE_TRUST___POLICY" => "HighSecurity", "BUNDLE_LOCAL__RACK" => "/src/rack",
                              "BUNDLE_JOBS" => "3", "BUNDLE_CACHE_ALL_PLATFORMS" => "false" }).unsupported
      assert_equal %w[local.rack trust-policy], found.map(&:name)
      assert_equal ["/src/rack", "HighSecurity"], found.map(&:value)
      assert(found.all? { |setting| setting.reason.size > 10 })
    end

    def test_fingerprint_changes_with_covered_settings_only
      env = { "BUNDLE_FROZEN" => "1", "BUNDLE_JOBS" => "1" }
      one = settings(env: env)
      two = settings(env: env.merge("BUNDLE_JOBS" => "2"))
      refute_equal one.fingerprint, two.fingerprint
      assert_equal one.fingerprint(only: %w[frozen]), two.fingerprint(only: %w[frozen])
    end
  end
end
