# frozen_string_literal: true

module Spate
  class Store
    class Edits
      # Counts the other bundles that share a file's inode. Several packages may contain the same file (a licence, an
      # empty file), so all manifests are searched, each only once.
      class SharedInodes
        # record: the record of the bundle with the edits.
        def initialize(store, record)
          @store = store
          @record = record
          @paths = {} # path of a manifest => [[edit, path], ...]
        end

        # Sets `projects` and `unknown_links` of edits.
        def count(edits)
          return if edits.empty?

          @edits = edits.group_by { |edit| Object.name(edit.entry) }
          found = names
          edits.each { |edit| fill(edit, found.fetch(edit, {})) }
        end

        private

        # {edit => {file => root}}
        def names
          records = BundleRecord.all(@store).reject { |record| record.root == @record.root } + [@record]
          found = Hash.new { |hash, edit| hash[edit] = {} }.compare_by_identity
          records.each { |record| record.trees.reject(&:private?).each { |tree| search(record, tree, found) } }
          found
        end

        def search(record, tree, found)
          folder = record.destination(tree)
          return unless File.directory?(folder)

          tree.packages.flat_map { |key| named(@store.package_path(key)) }.each do |edit, path|
            file = File.join(folder, path)
            found[edit][file] = record.root if File.identical?(file, edit.file)
          end
        end

        # [[edit, path]] for the entries of a manifest whose object was edited.
        def named(manifest_path)
          @paths[manifest_path] ||= begin
            manifest = File.file?(manifest_path) ? @store.open_manifest(manifest_path) : nil
            (manifest ? Object.entries(manifest) : []).flat_map do |entry|
              @edits.fetch(Object.name(entry), []).map { |edit| [edit, entry[:path]] }
            end
          end
        end

        def fill(edit, files)
          edit.projects = (files.values.uniq - [@record.root]).size
          store = File.identical?(Object.of(@store, edit.entry).path, edit.file) ? 1 : 0
          edit.unknown_links = [edit.links - files.size - store, 0].max
        end
      end
    end
  end
end
