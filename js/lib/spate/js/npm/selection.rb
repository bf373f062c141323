# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # The places that npm installs. Excludes places that are not needed, not for this machine or of an omitted kind,
      # and all places inside an excluded one.
      class Selection
        # kinds: ["dev", "optional", "peer"] to omit. machine: Machine. allowed: Source::Allowed. force: whether to
        # ignore platforms.
        def initialize(lockfile, kinds:, machine:, allowed:, force: false)
          @lockfile = lockfile
          @places = lockfile.places
          @omit = kinds
          @machine = machine
          @allowed = allowed
          @force = force
          @kept = {}.compare_by_identity
        end

        # [Place] below a node_modules that npm installs, including bundled ones, in the lockfile's order. Raises
        # LockfileError.
        def kept = noted.select { |place| place.top.root? || npm_installs_into?(place.top) }

        # Like kept, but includes places in folders that npm records without installing their packages.
        def noted
          @noted ||= begin
            leave_out
            @places.each_value.select { |place| !place.folder? && keep?(place) }
          end
        end

        # Paths of optional packages that are not for this machine or that npm does not fetch, and of places that only
        # these need.
        def skipped = @skipped ||= []

        # Folders that npm creates for packages that it then does not fetch.
        def folders = @refused.select { |place| in_place?(place.parent) }.map { |place| File.dirname(place.path) }

        private

        def leave_out
          optional, needed = @places.each_value.select(&:wanted?).partition(&:optional?)
          needed.each { |place| refuse_required(place) }
          unsuited = optional.reject { |place| suits?(place) || shrinkwrapped?(place) }
          @refused = optional.select { |place| place.bundler.nil? && !omitted?(place) && @allowed.refused?(place) }
          drop(unsuited + @refused) unless unsuited.empty? && @refused.empty?
        end

        # Drops optional packages that cannot be installed on this machine.
        def drop(unsuited)
          Graph::OptionalSet.connect(@places)
          Graph::OptionalSet.of(unsuited).each do |one|
            one.inert = true
            skipped << one.path unless one.folder?
          end
        end

        def suits?(place) = @machine.runs?(place.data, optional: true) && @machine.engines?(place.data)

        # Up to version 11 npm installs the places of a package's own npm-shrinkwrap.json without checking platforms.
        def shrinkwrapped?(place)
          place = place.parent until place.nil? || place.entry["hasShrinkwrap"]
          !place.nil? && @machine.old?
        end

        def refuse_required(place)
          return if @force || @machine.runs?(place.data) || omitted?(place)

          raise LockfileError.new("#{place.root? ? Project::PACKAGE : place.path} is for " \
                                  "#{Machine.platforms(place.data)}; this machine is #{@machine.platforms}",
                                  hint: "make it an optional dependency, or set force = true in .npmrc")
        end

        # Whether a place is installed. The enclosing place must be installed, too.
        def keep?(place)
          @kept.fetch(place) { @kept[place] = stays?(place) && in_place?(place.parent) }
        end

        def in_place?(parent) = !parent.nil? && !parent.link? && (parent.folder? || keep?(parent))

        # npm installs packages only into folders directly in the root, not into nested ones or folders outside.
        def npm_installs_into?(folder) = folder.above&.root? && !folder.outside?

        def stays?(place)
          place.wanted? && !place.inert && !omitted?(place) && (place.link? || !without_version?(place))
        end

        # Whether the entry has neither address nor version. npm then prints a warning and continues without it.
        def without_version?(place) = place.entry["resolved"].nil? && place.entry["version"].nil?

        def omitted?(place)
          return false if @omit.empty?

          top = place.top
          return false unless top.root? || workspace?(top)

          (omit?("peer") && place.peer?) || (omit?("dev") && place.dev?) ||
            (omit?("optional") && place.optional?) ||
            (omit?("dev") && omit?("optional") && place.dev_optional?)
        end

        def omit?(kind) = @omit.include?(kind)
        def workspace?(folder) = @lockfile.workspaces.include?(folder.path)
      end
    end
  end
end
