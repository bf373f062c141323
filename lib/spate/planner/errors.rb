# frozen_string_literal: true

module Spate
  class Planner
    # The lockfile is incomplete for this bundle on this machine. Then Bundler resolves, or the install fails if the
    # bundle is frozen.
    class Incomplete < Error
      EXIT_CODE = 4
    end

    # A dependency is missing in the lockfile.
    class MissingGem < Incomplete
      attr_reader :name

      # needed_by: the gem that depends on it, or nil for the Gemfile.
      def initialize(name, path, needed_by = nil)
        @name = name
        super("#{path} does not have the gem #{name}, which #{needed_by || "the Gemfile"} needs",
              hint: "run `spate lock` and commit the result")
      end
    end

    # No variant of a gem runs on this machine.
    class MissingVariant < Incomplete
      attr_reader :name

      def initialize(variants, platform, path)
        @name = variants.first.name
        locked = variants.map(&:platform).join(", ")
        super("#{path} has #{name} #{variants.first.version} for #{locked} only; this machine is #{platform}",
              hint: "run `spate lock --add-platform #{platform}` and commit the result")
      end
    end

    # The lockfile does not include a platform for this machine.
    class MissingPlatform < Incomplete
      def initialize(platforms, platform, path)
        locked = platforms.empty? ? "no platform" : platforms.join(", ")
        super("#{path} is locked for #{locked}; this machine is #{platform}",
              hint: "run `spate lock --add-platform #{platform}` and commit the result")
      end
    end
  end
end
