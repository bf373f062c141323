# frozen_string_literal: true

module Spate
  class Store
    # Files of a bundle that differ from their package.
    #
    # A file that was written in place, through its link, is the store's own inode: the object is poisoned, and with it
    # every project that links it. The edit stays where it was made (see Evidence), the bytes are also kept under
    # edits/, the store and all other places get a fresh inode. A file that was replaced (sed -i, editors that rename)
    # has an inode of its own: it is the user's and is only named.
    #
    # The order of the steps makes a kill harmless: the store's name of the poisoned inode goes last, so whoever comes
    # next finds the same places again.
    class Edits
      autoload :Edit, "spate/store/edits/edit"
      autoload :Evidence, "spate/store/edits/evidence"
      autoload :Kept, "spate/store/edits/kept"
      autoload :News, "spate/store/edits/news"
      autoload :Place, "spate/store/edits/place"
      autoload :Places, "spate/store/edits/places"
      autoload :PrivateCopy, "spate/store/edits/private_copy"
      autoload :Survey, "spate/store/edits/survey"

      def initialize(store)
        @store = store
      end

      # bundle: a Bundle; differences: what Native.check_trees answered for `jobs`. Heals the store and the other
      # projects, and answers [Edit], empty where only times differed. Nothing is changed of a package whose archive is
      # needed and not there: its edits name the archive, and the call may be repeated once it is back; nor in a store
      # that cannot be written. Raises Full.
      def call(bundle, differences, jobs: bundle.jobs(@store))
        survey = nil
        edits = alone do
          survey = Survey.new(@store, bundle, jobs).read(differences)
          survey.poisoned.empty? ? [] : heal(survey.poisoned, bundle)
        end
        @store.renew(survey.touched) if edits.none?(&:archive)
        edits + survey.changes
      end

      # objects: damaged Objects whose inodes have other names. Answers a Hash from each to its Evidence: all are judged
      # before anything is changed.
      def judge(objects, asking: nil)
        places = Places.new(@store, objects)
        objects.to_h { |object| [object, Evidence.new(object, places.of(object), asking)] }
      end

      # verdicts: as judge answers; extraction: where the right files are. Answers [Edit].
      def resolve(verdicts, extraction)
        verdicts.map do |object, evidence|
          settle(object, evidence, extraction.file(object.entry))
        rescue Extraction::Foreign
          give_up(object, evidence)
        end
      end

      # Two projects that find the same edit at the same time would each keep it and heal the other.
      def alone(&block) = @store.lock("edits", &block)

      private

      def heal(poisoned, bundle)
        verdicts = judge(poisoned.flat_map(&:last), asking: bundle.root)
        return verdicts.map { |object, evidence| leave(object, evidence) } unless @store.writable?

        poisoned.flat_map do |manifest, objects|
          whole, lacking = objects.partition { |object| object.stray? && object.right? }
          whole.map { |object| settle(object, verdicts[object], object.path) } +
            extract(manifest, verdicts.slice(*lacking))
        end
      end

      def extract(manifest, verdicts)
        return [] if verdicts.empty?

        Extraction.open(@store, manifest) { |extraction| resolve(verdicts, extraction) }
      rescue Missing => e
        verdicts.map { |object, evidence| describe(object, evidence).tap { |edit| edit.archive = e.sha256 } }
      end

      def settle(object, evidence, fresh)
        edit = describe(object, evidence)
        edit.saved_at = save(object, evidence.keepers.first) unless edit.mode_only
        part(evidence) { |place| heal_place(place, fresh, edit, evidence.asking) }
        object.replace(fresh)
        edit
      end

      # No archive holds what a build made. Everybody keeps the file as it is, on an inode of their own; without its
      # object the build cannot be reused, so the next project builds again.
      def give_up(object, evidence)
        edit = describe(object, evidence)
        edit.saved_at = save(object, evidence.keepers.first)
        part(evidence) do |place|
          place.detach
          edit.unhealed[place.file] = "made by a build, and no good copy is left: build it again"
        end
        File.unlink(object.path) unless object.stray?
        edit
      end

      # Keepers get inodes of their own; each other place is yielded. Where nobody can say who made the edit, and none
      # of its projects asks, all go on as they are: the next check in one of them finds it again (see Survey).
      def part(evidence, &block)
        return if evidence.undecided?

        evidence.keepers.drop(1).each(&:detach)
        (evidence.places - evidence.keepers).each(&block)
      end

      def leave(object, evidence)
        edit = describe(object, evidence)
        edit.unhealed[object.path] = "the store cannot be written"
        edit
      end

      def describe(object, evidence)
        keeper = evidence.keepers.first
        Edit.new(kind: :in_place, name: keeper&.package, path: keeper&.path || object.entry[:path],
                 project_root: (keeper&.root unless evidence.undecided?), kept_at: evidence.keepers.map(&:file),
                 evidence: evidence.kind, certain: evidence.certain?, unknown_links: evidence.unknown_links,
                 mode_only: object.content?)
      end

      def save(object, keeper)
        Kept.new(@store).keep(object.source, keeper&.package || "objects", keeper&.path || object.name)
      end

      # The note goes first, for a kill in between: a project that lost what may be its own must hear of it.
      def heal_place(place, fresh, edit, asking)
        news = News.new(@store) unless place.root == asking
        news&.leave(place, edit)
        place.put(fresh)
        edit.healed |= [place.root]
        edit.healed_at |= [place.file]
      rescue SystemCallError => e
        news&.take_back(place, edit)
        edit.unhealed[place.file] = e.message
      end
    end
  end
end
