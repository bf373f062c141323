# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Runs after all packages are in place: creates slots, links and bins, removes strays, runs scripts, and writes
        # the completion markers.
        class Finish
          # placed: trees that were in place before. made: entries that already exist, or nil. placing: the completed
          # Placing.
          def initialize(parts, notes, placed, made, placing)
            @parts = parts
            @notes = notes
            @plan = parts.plan
            @folders = parts.folders
            @placed = placed
            @made = made
            @placing = placing
          end

          # Yields after all files, links and bins are in place, and before scripts run. Returns the entries and the
          # Record, or nil instead of the latter.
          def call
            take_away
            @parts.report.linked = [@parts.present.size - @placed.size, 0].max
            entries = arrange
            yield
            run_scripts { entries = link_again(entries) }
            entries = take_away(entries)
            state = @plan.state ? @plan.state.files(@parts.outcome) : {}
            write_state(state) { entries = link_again(entries) if @parts.scripts.last && @plan.tool == "pnpm" }
            [entries, @notes.end(entries.keys, state.keys)]
          end

          private

          # Places the project's entries, removes strays and empty folders; returns the entries.
          def arrange
            entries = @made || make_slots
            remove_strays(entries) if @parts.existed
            @parts.place_entries(entries) unless @made
            own_bins(entries)
            @plan.folders&.each { |path| @folders.fill(path) }
            @plan.projects.each { |folder| @folders.drop_empty(folder) } if @parts.existed
            entries
          end

          # Creates slots, and returns the entries of the project itself. If the store lacks files of an item, the item
          # is fetched again. If that fails, the links change.
          def make_slots
            shared, own = @parts.wanted.call.partition { |path, _| path.start_with?("/") }
            return own.to_h unless @parts.slots.any?

            trees = @parts.present.select { |tree| @parts.shared?(tree) }
            lost = @parts.slots.call(trees, trees.select { |tree| placed?(tree) }, shared.to_h)
            return own.to_h if lost.empty?

            @placing.acquire(lost)
            make_slots
          end

          def placed?(tree) = (@paths ||= @placed.to_h { |each| [each.path, true] }).key?(tree.path)

          # Removes optional packages that failed to install or build, and their dependents; npm creates the parent
          # folders of these. entries: the existing entries. Returns the remaining ones.
          def take_away(entries = {})
            gone = @parts.left_out.gone.each { |tree| @folders.make(tree.path) if @plan.tool == "npm" }
            take(gone.map(&:path))
            return entries if gone.empty? || entries.empty?

            left = entries.slice(*@parts.wanted.call.keys)
            take(entries.keys - left.keys)
            left
          end

          def remove_strays(entries)
            by_path = @plan.trees.to_h { |tree| [tree.path, @parts.items.of(tree)] }
            @parts.report.removed = Place::Strays.new(@plan, entries.keys) { |path| by_path[path].bundled }.call
            take(@parts.report.removed)
          end

          def take(paths) = paths.each { |path| @parts.trash.take(@parts.context.path(path)) }

          # Records the packages before scripts run. If a script is killed, the next restore places their folders again.
          def run_scripts(&)
            about = @parts.present.select { |tree| @parts.runs?(tree) }.map(&:key)
            @notes.places(about) if about.any?
            count = @parts.scripts.call(Place::Anew.new(@parts.context, @parts.items, @placed, @parts.trash), &)
            @parts.report.built = count.ran
            @parts.report.build_reused = count.reused
            @parts.report.pending = @parts.outcome.pending
            @parts.report.warned_of = @parts.scripts.warned_of
          end

          # Links executables again, because the project's own scripts may have created their files.
          def link_again(entries)
            now = @parts.wanted.call.reject { |path, entry| path.start_with?("/") || entries[path] == entry }
            @parts.place_entries(now)
            own_bins(now)
            entries.merge(now)
          end

          # Yields after the state of packages is written, and before the last state files are written.
          def write_state(state)
            last = @plan.state.respond_to?(:last) ? @plan.state.last : []
            write(state.except(*last))
            yield
            write(state.slice(*last))
          end

          def own_bins(entries) = Place::OwnBins.new(@parts.context, @plan.bins).call(entries)
          def write(files) = @parts.place_entries(files.transform_values { |text| TextFile.new(text) })
        end
      end
    end
  end
end
