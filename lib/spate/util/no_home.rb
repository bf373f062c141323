# frozen_string_literal: true

require_relative "../error" # required directly, since a boot loads nothing else

module Spate
  module Util
    # No folder for the store can be derived from the environment.
    class NoHome < Error
      EXIT_CODE = 9

      def self.relative(path, name)
        new("no folder for the store: #{name} is not an absolute path: #{path.inspect}",
            hint: "use an absolute path: #{File.expand_path(path)}")
      end

      # home: the value of HOME, or nil.
      def self.unknown(home)
        new("no folder for the store: HOME is #{home.nil? ? "not set" : home.inspect} and user #{Process.euid} has " \
            "no home folder", hint: "set SPATE_HOME to the absolute path of a folder")
      end
    end
  end
end
