# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # Where was a file edited that several places share as one inode? The inode cannot say: its times are the same
      # seen from everywhere. What can differ is what lies around each place. In order of strength, and each only where
      # it points to exactly one place (or to places of one project):
      #
      # leftovers:: an editor's swap, lock or backup file beside the file
      # folder:: the file's folder changed at the time of the edit or later: editors make and remove such files there
      # neighbours:: other files of the same package are the user's own in one project only
      # activity:: a project's .git, .vscode or .idea changed within two minutes of the edit, where all candidates
      #            have such a folder, so that its silence means something
      # asking:: nothing told; people install and check where they work, so the asking project keeps it
      # newest:: nothing told and nobody asked: the project that was installed last
      class Evidence
        NEAR = 120 # seconds of activity around an edit
        TRACES = %w[.git .git/index .vscode .idea .idea/workspace.xml].freeze
        LEFTOVERS = [".%s.swp", ".%s.swo", ".%s.kate-swp", ".#%s", "#%s#", "%s~", "%s.bak"].freeze
        UNCERTAIN = %i[asking newest none].freeze

        # Symbol of the list above, or :none where no known place holds the file; :only where just one does.
        attr_reader :kind
        # [Place] that keep the edit: one, or several of one project where nothing tells them apart; and all places.
        attr_reader :keepers, :places

        def initialize(store, object, places, asking)
          @store = store
          @object = object
          @edited = object.stat.mtime
          @asking = asking
          @places = places
          @kind, @keepers = decide(places)
        end

        def certain? = !UNCERTAIN.include?(kind)

        private

        def decide(places)
          return [:none, []] if places.empty?
          return [:only, places] if places.size == 1

          %i[leftovers folder neighbours activity].each do |kind|
            found = send(kind, places)
            return [kind, found] if decisive?(found, places)
          end
          fallback(places)
        end

        # Points to one place, or to one project while there are others.
        def decisive?(found, places)
          found.size == 1 || (!found.empty? && found.map(&:root).uniq.size == 1 && places.map(&:root).uniq.size > 1)
        end

        def leftovers(places) = places.select { |place| leftover?(place) }

        def leftover?(place)
          name = File.basename(place.file)
          LEFTOVERS.any? { |form| time(File.join(place.folder, format(form, name))) }
        end

        def folder(places)
          places.select { |place| (changed = time(place.folder)) && changed >= @edited }
        end

        def neighbours(places) = places.select { |place| own_files?(place) }

        # Files of the place's tree that differ and are not the store's inode. The same object may be there twice.
        def own_files?(place)
          jobs = [[place.bundle.destination(place.tree), place.tree.manifests(@store)]]
          Native.check_trees(jobs, 1).any? do |job, manifest, index, _|
            destination, manifests = jobs[job]
            entry = manifests[manifest].entry(index)
            !Object.of(@store, entry).same?(File.join(destination, entry[:path]))
          end
        end

        def activity(places)
          apps = places.map { |place| place.bundle.app }.uniq
          seen = apps.to_h { |app| [app, TRACES.filter_map { |name| time(File.join(app, name)) }] }
          return [] if seen.values.any?(&:empty?)

          places.select { |place| seen[place.bundle.app].any? { |changed| (changed - @edited).abs <= NEAR } }
        end

        def fallback(places)
          mine = places.select { |place| place.root == @asking }
          return [:asking, mine] unless mine.empty?

          newest = places.max_by { |place| place.bundle.time }.root
          [:newest, places.select { |place| place.root == newest }]
        end

        def time(path)
          File.lstat(path).mtime
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
