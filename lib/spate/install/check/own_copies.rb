# frozen_string_literal: true

module Spate
  module Install
    module Check
      # Finds gems that were copied into the bundle for editing (`spate edit`), and the changes in them.
      class OwnCopies
        # name: full name. path: the gem's folder. files: the number of changed, deleted and added files, or nil if the
        # package is not in the store.
        OwnCopy = Struct.new(:name, :path, :files, keyword_init: true)

        # record: Store::BundleRecord, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        # Returns [OwnCopy], sorted by name.
        def find = trees.sort_by(&:path).map { |tree| own_copy(tree) }

        private

        def trees
          found = @record ? @record.trees.select(&:private?) : []
          found.select { |tree| File.directory?(@record.destination(tree)) }
        end

        def own_copy(tree)
          name = File.basename(tree.path)
          OwnCopy.new(name: name, path: @record.destination(tree), files: changes.in_copy(name)&.size)
        end

        def changes = @changes ||= Prepare::LocalChanges.new(@context, @record)
      end
    end
  end
end
