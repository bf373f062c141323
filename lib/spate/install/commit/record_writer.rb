# frozen_string_literal: true

module Spate
  module Install
    module Commit
      # Records the packages and builds of the bundle. `edit`, `prune` and the next install use the record.
      class RecordWriter
        # record: Store::BundleRecord of the previous install, or nil.
        def initialize(context, record)
          @context = context
          @record = record
        end

        # items: all items of the plan, installed. notes: lines for the next install. relinked: whether existing copies
        # were replaced by links.
        def keep(items, notes, relinked:)
          trees = items.filter_map { |item| tree(item, relinked) }
          Store::BundleRecord.new(root: @context.layout.root, app: @context.location.root, notes: notes,
                                  link_method: @context.link_method, trees: trees + of_others(items),
                                  others: other_projects).save(@context.store)
        end

        private

        # A gem that was already installed keeps its Tree. A gem that Bundler installed has no Tree.
        def tree(item, relinked)
          path = "gems/#{item.full_name}"
          return in_place(path, relinked) if item.state == :in_place

          Store::BundleRecord::Tree.new(path: path, packages: [@context.package_key(item.sha256)], copied: copy?,
                                        builds: [item.build&.key].compact)
        end

        def in_place(path, relinked)
          tree = @record&.tree(path)&.dup or return
          tree.builds |= builds_of_old_record.fetch(path, [])
          tree.copied = copy? || (tree.copied? && !relinked)
          tree
        end

        def copy? = @context.link_method == :copy

        # Trees of other projects' gems in the same folder, and of earlier lockfiles.
        def of_others(items)
          own = items.to_h { |item| ["gems/#{item.full_name}", true] }
          found = @record ? @record.trees.reject { |tree| own[tree.path] || tree.path.empty? } : []
          found.select { |tree| File.directory?(@record.destination(tree)) }
               .each { |tree| tree.builds |= builds_of_old_record.fetch(tree.path, []) }
        end

        def other_projects
          here = [@context.location.root, @context.layout.root].map { |path| Store::Text.path(path) }
          @record ? @record.projects.reject { |one| here.include?(one.app) || !File.directory?(one.app) } : []
        end

        # {path of a gem => keys of its builds} from a record in the old format, which has all builds in one tree.
        def builds_of_old_record
          @builds_of_old_record ||= (@record&.tree("")&.builds || []).group_by do |key|
            Store::BundleRecord.built(@context.store.build(key))
          end
        end
      end
    end
  end
end
