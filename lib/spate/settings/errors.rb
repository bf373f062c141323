# frozen_string_literal: true

module Spate
  class Settings
    # A setting that is invalid or contradictory.
    class Error < Spate::Error
      EXIT_CODE = 12
    end

    # Both an install path and `path.system` are set.
    class PathConflict < Error
      def initialize(path, origin)
        super("the settings `path` (#{path}) and `path.system` are mutually exclusive, but both are set (#{origin})",
              hint: "unset one of them: bundle config unset path, or bundle config unset path.system")
      end
    end

    # A group is in both `with` and `without`.
    class GroupConflict < Error
      def initialize(groups)
        super("the settings `with` and `without` both name #{groups.join(", ")}",
              hint: "remove the group from one of them: bundle config")
      end
    end

    # Groups are selected in a way that this machine's Bundler does not support.
    class OnlyUnknown < Error
      # others: names of the groups that are not selected.
      def initialize(bundler_version, others)
        hint = others.empty? ? "omit --only: these are all groups" : "spate install --without #{others.join(":")}"
        super("--only needs Bundler 2.4 or newer, but this is Bundler #{bundler_version}: " \
              "`bundle exec` would miss the other groups", hint: hint)
      end
    end

    # A config file exists but is not readable.
    class Unreadable < Error
      def initialize(path, error)
        super("#{path} cannot be read: #{error.message}", hint: "make the file readable for this user")
      end
    end

    # A config file has groups as a YAML list.
    class NoList < Error
      def initialize(name, groups)
        text = "#{Key.for(name)}: #{groups.join(":").dump}"
        super("the setting `#{name}` is a YAML list; Bundler expects a single string",
              hint: "in the config file (.bundle/config, ~/.bundle/config), write #{text}")
      end
    end

    # An invalid value of a setting.
    class InvalidValue < Error
      # thing: the subject of the message, if it is not a setting.
      def initialize(name, value, expected, thing: "the setting `#{name}`",
                     hint: "see where it was set: bundle config get #{name}")
        super("#{thing} is #{value.inspect}; expected #{expected}", hint: hint)
      end
    end
  end
end
