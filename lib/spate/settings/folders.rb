# frozen_string_literal: true

module Spate
  class Settings
    # The folders and files of Bundler's configuration, whose paths environment variables can change.
    class Folders
      # root: the application's folder, or nil. env: an object with `[]`.
      def initialize(root, env)
        @root = root
        @env = env
      end

      # The application's config folder: BUNDLE_APP_CONFIG (relative to the application), or `.bundle`.
      def app_config
        return unless @root

        given = @env["BUNDLE_APP_CONFIG"]
        given ? File.expand_path(given, @root) : File.join(@root, ".bundle")
      end

      def local_config
        File.join(app_config, "config") if @root && !ignored?
      end

      # The user's config file, or nil without a home folder.
      def global_config
        return if ignored?

        given("BUNDLE_CONFIG") || given("BUNDLE_USER_CONFIG") ||
          (home = given("BUNDLE_USER_HOME") and File.join(home, "config")) ||
          (home = user_home and File.join(home, ".bundle/config"))
      end

      # The user's Bundler folder, which contains `cache` and `plugin`.
      def bundle_home
        given("BUNDLE_USER_HOME") || File.join(user_home || Dir.pwd, ".bundle")
      end

      def user_cache = given("BUNDLE_USER_CACHE") || File.join(bundle_home, "cache")

      # The user's home folder, or nil if unknown.
      def user_home
        given("HOME") || Dir.home
      rescue ArgumentError
        nil
      end

      private

      # Treats an empty variable as not set.
      def given(key)
        value = @env[key]
        value unless value.nil? || value.empty?
      end

      def ignored? = !@env["BUNDLE_IGNORE_CONFIG"].nil?
    end
  end
end
