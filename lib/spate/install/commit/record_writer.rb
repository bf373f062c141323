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

        # items: all of the plan, installed. notes: lines that the next install reads. relinked: whether the copies in
        # place were made links.
        def keep(items, notes, relinked:)
          trees = items.filter_map { |item| tree(item, relinked) }
          Store::BundleRecord.new(root: @context.layout.root, app: @context.location.root, notes: notes,
                                  link_method: @context.link_method, trees: trees + of_others(items),
                                  others: other_projects).save(@context.store)
        end

        private

        # What was in place keeps its tree, private or not; what nobody recorded (Bundler installed it) has none.
        def tree(item, relinked)
          path = "gems/#{item.full_name}"
          return in_place(path, relinked) if item.state == :in_place

          Store::BundleRecord::Tree.new(path: path, packages: [@context.package_key(item.sha256)], copied: copy?,
                                        builds: [item.build&.key].compact)
        end

        def in_place(path, relinked)
          tree = @record&.tree(path)&.dup or return
          tree.builds |= undivided.fetch(path, [])
          tree.copied = copy? || (tree.copied? && !relinked)
          tree
        end

        def copy? = @context.link_method == :copy

        # Gems of other projects in the same place, and those that the lockfile named before, as long as they are there.
        def of_others(items)
          own = items.to_h { |item| ["gems/#{item.full_name}", true] }
          found = @record ? @record.trees.reject { |tree| own[tree.path] || tree.path.empty? } : []
          found.select { |tree| File.directory?(@record.destination(tree)) }
               .each { |tree| tree.builds |= undivided.fetch(tree.path, []) }
        end

        def other_projects
          here = [@context.location.root, @context.layout.root].map { |path| Store::Text.path(path) }
          @record ? @record.projects.reject { |one| here.include?(one.app) || !File.directory?(one.app) } : []
        end

        # {path of a gem => keys of its builds}, of an older record, which has them all in one tree.
        def undivided
          @undivided ||= (@record&.tree("")&.builds || []).group_by do |key|
            Store::BundleRecord.built(@context.store.build(key))
          end
        end
      end
    end
  end
end
