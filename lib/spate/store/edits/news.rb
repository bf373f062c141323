# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # What a bundle has to be told: files that it shared were edited in place, and a command elsewhere decided that
      # another project keeps the edit. Kept as a text under "news", key: as of its record, until a person was told.
      #
      # A line is an edit: its FIELDS, each quoted as Ruby does (paths may hold anything), with tabs between them.
      class News
        FIELDS = %i[name path file keeper kept_at saved_at evidence certain mode_only].freeze

        def initialize(store)
          @store = store
        end

        # [Edit] of kind :healed, for the bundle with that root.
        def of(root)
          lines(root).filter_map { |line| edit(root, line) }
        end

        # place: a Place that will have the package's file again; edit: the Edit, its copy saved. Only under the lock
        # "edits", as take_back.
        def leave(place, edit)
          keep(place.root, lines(place.root) | [line(place, edit)])
        end

        def take_back(place, edit)
          keep(place.root, lines(place.root) - [line(place, edit)])
        end

        # edits: Edits or their facts, of any kind: those that were news are not told again.
        def told(edits)
          news = edits.map(&:to_h).select { |facts| facts[:kind].to_sym == :healed }
          return if news.empty?

          @store.lock("edits") do
            news.group_by { |facts| facts[:healed].first }.each do |root, told|
              keep(root, lines(root) - told.map { |facts| line_of(facts) })
            end
          end
        end

        private

        def lines(root)
          @store.read("news", Bundle.key(root))&.lines(chomp: true) || []
        end

        # A store that cannot be written tells it again.
        def keep(root, lines)
          return @store.write("news", Bundle.key(root), "#{lines.join("\n")}\n") unless lines.empty?

          File.unlink(@store.path("news", Bundle.key(root)))
        rescue SystemCallError
          nil
        end

        def line(place, edit)
          quote(place.package, place.path, place.file, edit.project_root, edit.kept_at.first, edit.saved_at,
                edit.evidence, edit.certain, edit.mode_only)
        end

        def line_of(facts)
          quote(*facts.values_at(:name, :path), facts[:healed_at].first, facts[:project_root], facts[:kept_at].first,
                *facts.values_at(:saved_at, :evidence, :certain, :mode_only))
        end

        def quote(*values) = values.map { |value| value.to_s.b.dump }.join("\t")

        # nil for a line of a later version.
        def edit(root, line)
          values = line.split("\t").map(&:undump)
          return unless values.size == FIELDS.size

          name, path, file, keeper, kept_at, saved_at, evidence, certain, mode_only = values
          saved_at = nil if saved_at.empty?
          Edit.new(kind: :healed, name: name, path: path, project_root: keeper, kept_at: [kept_at], saved_at: saved_at,
                   healed: [root], healed_at: [file], evidence: evidence.to_sym, certain: certain == "true",
                   mode_only: mode_only == "true")
        rescue RuntimeError
          nil
        end
      end
    end
  end
end
