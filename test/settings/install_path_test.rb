# frozen_string_literal: true

require "test_helper"

module Spate
  class Settings
    class InstallPathTest < Minitest::Test
      def path(local: nil, **options)
        write("app/.bundle/config", local) if local
        root = File.join(folder, "app")
        env = { "HOME" => folder }.merge(options.fetch(:env, {}))
        Settings.load(root: root, env: env, flags: options.fetch(:flags, {})).install_path
      end

      def test_flag_takes_precedence_over_files
        found = path(local: "---\nBUNDLE_PATH__SYSTEM: \"true\"\n", flags: { path: "here" })
        assert_equal "/app/here", found.absolute("/app")
      end

      def test_lower_level_does_not_complete_a_higher_one
        assert_predicate path(local: "---\nBUNDLE_PATH__SYSTEM: \"true\"\n", env: { "BUNDLE_PATH" => "x" }), :system?
      end

      def test_path_and_system_on_one_level
        error = assert_raises(PathConflict) { path(env: { "BUNDLE_PATH" => "x", "BUNDLE_PATH__SYSTEM" => "1" }) }
        assert_equal 12, error.exit_code
        assert_match(/\(x\).*environment/, error.message)
      end

      def test_a_home_sign_and_an_absolute_path
        assert_equal "/abs", path(env: { "BUNDLE_PATH" => "/abs" }).absolute("/app")
        assert_equal File.expand_path("~/gems"), path(env: { "BUNDLE_PATH" => "~/gems" }).absolute("/app")
        assert_nil path.absolute("/app")
      end
    end
  end
end
