# frozen_string_literal: true

require_relative "../error" # a boot loads only this

module Spate
  module Ground
    # There is no folder to keep the store in.
    class NoHome < Error
      EXIT_CODE = 9

      def self.relative(path, name)
        new("no place for the store: #{name} is #{path.inspect}, which is not an absolute path",
            hint: "the absolute path of a folder: #{File.expand_path(path)}")
      end

      # home: what HOME says, or nil.
      def self.unknown(home)
        new("no place for the store: HOME is #{home.nil? ? "not set" : home.inspect} and user #{Process.euid} has no " \
            "home folder", hint: "set SPATE_HOME to the absolute path of a folder")
      end
    end
  end
end
