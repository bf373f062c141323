# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # Writes down what the bundle was made from: for edits, for prune, for the next install.
      class RecordWriter
        # record: Store::BundleRecord of the install before, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        # items: all of the plan, installed. notes: lines that the next install reads.
        def keep(items, notes)
          trees = items.filter_map { |item| tree(item) }
          builds = (old_builds(items) + items.filter_map { |item| item.build&.key }).uniq
          trees << Store::BundleRecord::Tree.new(path: "", builds: builds) unless builds.empty?
          Store::BundleRecord.new(root: @context.layout.root, app: @context.location.root, trees: trees, notes: notes,
                                  link_method: @context.link_method).save(@context.store)
        end

        private

        # What was in place keeps its tree, private or not; what nobody recorded (Bundler installed it) has none.
        def tree(item)
          path = "gems/#{item.full_name}"
          return @record&.tree(path) if item.state == :in_place

          Store::BundleRecord::Tree.new(path: path, packages: [@context.package_key(item.sha256)])
        end

        # Builds of gems that are still in place: their key is in their name.
        def old_builds(items)
          in_place = items.select { |item| item.state == :in_place }.map { |item| "gems/#{item.full_name}/" }
          return [] if @record.nil? || in_place.empty?

          @record.builds.select do |key|
            manifest = @context.store.build(key)
            manifest && in_place.any? { |prefix| manifest.paths.any? { |path| path.start_with?(prefix) } }
          end
        end
      end
    end
  end
end
