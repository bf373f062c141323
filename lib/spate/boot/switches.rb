# frozen_string_literal: true

module Spate
  module Boot
    # Environment variables that turn off parts of a boot. bootsnap's variables with the same meaning are supported too.
    #
    #   SPATE_BOOT=0        everything                       DISABLE_BOOTSNAP: compile caches, load-path cache, YAML
    #   SPATE_NO_BUNDLE     files from compile caches        DISABLE_BOOTSNAP_COMPILE_CACHE: and YAML
    #   SPATE_NO_LOAD_PATH_CACHE                             DISABLE_BOOTSNAP_LOAD_PATH_CACHE
    #   SPATE_NO_REPLAY     the replay of `Bundler.setup`
    #   SPATE_NO_YAML       cached values of YAML files
    #   SPATE_HEAP=0        heap settings for Ruby (1: always)         SPATE_LEAN=0   RubyGems loaded by Ruby itself
    #   RUBY_BOX=1          everything, because Ruby then loads a file once per box
    #   SPATE_READONLY      builds and recordings            BOOTSNAP_READONLY
    #   SPATE_LOG=FILE      logs one line per event          BOOTSNAP_LOG: on stderr; BOOTSNAP_STATS: counts at the end
    class Switches
      # Set in the environment of a command that was restarted without RUBY_BOX.
      BOX = "SPATE_BOX"

      def self.on?(env, name) = !["", "0", "false", nil].include?(env[name])

      def initialize(env = ENV)
        @env = env
      end

      def boot? = @env["SPATE_BOOT"] != "0" && @env["RUBY_BOX"] != "1"
      def loader? = boot? && !on?("SPATE_NO_BUNDLE") && !bootsnap_off?("COMPILE_CACHE")
      def load_path_cache? = boot? && !on?("SPATE_NO_LOAD_PATH_CACHE") && !bootsnap_off?("LOAD_PATH_CACHE")
      def replay? = boot? && !on?("SPATE_NO_REPLAY")
      def yaml? = boot? && !on?("SPATE_NO_YAML") && !bootsnap_off?("COMPILE_CACHE")
      def heap? = boot? && @env["SPATE_HEAP"] != "0"
      def prelude? = boot? && @env["SPATE_LEAN"] != "0"
      def readonly? = on?("SPATE_READONLY") || on?("BOOTSNAP_READONLY")

      # The path of the log, "-" for stderr, or nil.
      def log
        name = @env["SPATE_LOG"]
        return name unless name.nil? || name.empty?

        "-" if on?("BOOTSNAP_LOG")
      end

      def stats? = !on?("BOOTSNAP_LOG") && on?("BOOTSNAP_STATS")

      private

      def on?(name) = Switches.on?(@env, name)
      # bootsnap also ignores the values of these variables.
      def bootsnap_off?(part) = @env.key?("DISABLE_BOOTSNAP") || @env.key?("DISABLE_BOOTSNAP_#{part}")
    end
  end
end
