# frozen_string_literal: true

module Spate
  class Layout
    # The version of Bundler that an application asks for, in the order in which RubyGems and Bundler look. That one
    # runs where it is installed, and what it installs depends on it.
    class NamedBundler
      LOCKED = /\n\nBUNDLED WITH\n\s{2,}(\S+)\n/

      # lockfile: its path, or nil.
      def initialize(settings, lockfile)
        @settings = settings
        @lockfile = lockfile
      end

      # "2.6.9", or nil. With the setting `version` "system" RubyGems alone looks, which may have it from a user's file.
      def version
        given = @settings.env["BUNDLER_VERSION"]
        return given unless given.nil? || given.empty?

        configured = @settings[:version].to_s
        configured.match?(/\A\d/) ? configured : locked
      end

      private

      def locked
        File.read(@lockfile, encoding: Encoding::BINARY)[LOCKED, 1] if @lockfile
      rescue SystemCallError
        nil
      end
    end
  end
end
