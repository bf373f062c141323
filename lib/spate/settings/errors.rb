# frozen_string_literal: true

module Spate
  class Settings
    # A setting that cannot be followed as it stands.
    class Error < Spate::Error
      EXIT_CODE = 12
    end

    # A path to install to and the system's folder are both asked for.
    class PathConflict < Error
      def initialize(path, origin)
        super("the settings `path` (#{path}) and `path.system` exclude each other, both are set: #{origin}",
              hint: "unset one of them: bundle config unset path, or bundle config unset path.system")
      end
    end

    # A group is both in `with` and in `without`.
    class GroupConflict < Error
      def initialize(groups)
        super("the settings `with` and `without` both name #{groups.join(", ")}",
              hint: "take the group out of one of them: bundle config")
      end
    end

    # Groups are asked for in a way that this machine's Bundler does not know.
    class OnlyUnknown < Error
      # others: groups that are not wanted.
      def initialize(bundler_version, others)
        hint = others.empty? ? "leave --only out: these are all groups" : "spate install --without #{others.join(":")}"
        super("--only needs Bundler 2.4 or newer, and here Bundler #{bundler_version} runs: " \
              "`bundle exec` would miss the other groups", hint: hint)
      end
    end

    # A config file that exists and cannot be read.
    class Unreadable < Error
      def initialize(path, error)
        super("#{path} cannot be read: #{error.message}", hint: "give yourself the right to read it")
      end
    end

    # Groups as a list of YAML in a config file.
    class NoList < Error
      def initialize(name, groups)
        text = "#{Key.for(name)}: #{groups.join(":").dump}"
        super("the setting `#{name}` is a list of YAML, expected one text, as Bundler reads it",
              hint: "write it into the config file (.bundle/config, ~/.bundle/config) as #{text}")
      end
    end

    # A value that the setting cannot have.
    class InvalidValue < Error
      # thing: what has that value, where that is no setting.
      def initialize(name, value, expected, thing: "the setting `#{name}`",
                     hint: "see where it was set: bundle config get #{name}")
        super("#{thing} is #{value.inspect}; expected #{expected}", hint: hint)
      end
    end
  end
end
