# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # Where was a file edited that several places share as one inode? The inode cannot say: its times are the same
      # seen from everywhere. What can differ is what lies around each place. Only traces of this very edit count, so
      # each must be of its time, point to exactly one place (or to places of one project), and none may contradict:
      #
      # leftovers:: an editor's swap, lock or backup file beside the file
      # folder:: the file's folder changed with the edit or soon after it, and no file of the user's own explains that:
      #          editors make and remove such files there
      #
      # Else it is uncertain:
      #
      # asking:: people install and check where they work, and no guess may take from a project what may be its user's:
      #          the asking project keeps it
      # undecided:: no project that holds it asks: all keep it, until one of them does
      class Evidence
        NEAR = 120 # seconds between an edit and its trace
        LEFTOVERS = [".%s.swp", ".%s.swo", ".%s.kate-swp", ".#%s", "#%s#", "%s~", "%s.bak"].freeze
        UNCERTAIN = %i[asking undecided none].freeze

        # Symbol of the list above, or :none where no known place holds the file; :only where just one does.
        attr_reader :kind
        # [Place] that keep the edit: one, or several of one project where nothing tells them apart; and all places.
        attr_reader :keepers, :places
        # Root of the bundle in which it was found, nil where none asked.
        attr_reader :asking

        def initialize(object, places, asking)
          @object = object
          @edited = object.stat.mtime
          @asking = asking
          @places = places
          @kind, @keepers = decide(places)
        end

        # Somebody may also have made it where no record tells of a bundle.
        def certain? = !UNCERTAIN.include?(kind) && !(kind == :only && unknown_links.positive?)
        def undecided? = kind == :undecided

        # Names of the inode that no recorded bundle explains.
        def unknown_links = @object.links_outside - places.size

        private

        def decide(places)
          return [:none, []] if places.empty?
          return [:only, places] if places.size == 1

          traces = %i[leftovers folder].map { |kind| [kind, send(kind, places)] }
          traces.select! { |_, found| decisive?(found, places) }
          return traces.first if traces.flat_map { |_, found| found.map(&:root) }.uniq.size == 1

          mine = places.select { |place| place.root == @asking }
          mine.empty? ? [:undecided, places] : [:asking, mine]
        end

        # Points to one place, or to one project while there are others.
        def decisive?(found, places)
          found.size == 1 || (!found.empty? && found.map(&:root).uniq.size == 1 && places.map(&:root).uniq.size > 1)
        end

        # A backup has the file's own time: the inode's says when it was made.
        def leftovers(places)
          places.select do |place|
            names(place).any? do |name|
              left = Object.lstat(File.join(place.folder, name))
              left && (left.ctime - @edited).abs <= NEAR
            end
          end
        end

        def names(place) = LEFTOVERS.map { |form| format(form, File.basename(place.file)) }

        def folder(places)
          places.select do |place|
            changed = Object.lstat(place.folder)&.mtime
            changed && changed >= @edited && changed - @edited <= NEAR && !explained?(place)
          end
        end

        # A file of the user's own (`sed -i` made it, or patch) that came into the folder since the edit.
        def explained?(place)
          (Dir.children(place.folder) - names(place)).any? do |name|
            stat = Object.lstat(File.join(place.folder, name))
            stat&.file? && stat.nlink == 1 && stat.ctime >= @edited
          end
        end
      end
    end
  end
end
