# frozen_string_literal: true

module Spate
  class Layout
    # The version of Bundler that an application selects, looked up in the same order as by RubyGems and Bundler. If
    # installed, that version runs and affects the installed files. Ignores a value that is not a version.
    class NamedBundler
      VERSION = /[0-9]+(?>\.[0-9a-zA-Z]+)*/
      LOCKED = /\n\nBUNDLED WITH\n\s{2,}(#{VERSION})\n/

      # lockfile: path of the lockfile, or nil.
      def initialize(settings, lockfile)
        @settings = settings
        @lockfile = lockfile
      end

      # "2.6.9", or nil.
      def version
        [Util::Environment.clean(@settings.env)["BUNDLER_VERSION"], setting].grep(/\A#{VERSION}\z/).first || locked
      end

      # The setting `version`: a version, "lockfile", "system" or nil.
      def setting = @settings[:version]&.to_s

      private

      def locked
        File.read(@lockfile, encoding: Encoding::BINARY)[LOCKED, 1] if @lockfile
      rescue SystemCallError
        nil
      end
    end
  end
end
