# frozen_string_literal: true

module Spate
  module Install
    module Link
      # Converts a bundle of links to copies, or the reverse. The bundle's record contains the previous method. Without
      # a record, because the store was deleted, the files may still be links. Each file is written to a temporary path
      # and renamed, and the record is written last, so the next install resumes an interrupted conversion. Files
      # changed by the user, and copies for `spate edit`, are not converted.
      class MethodChange
        # record: Store::BundleRecord or nil.
        def initialize(context, record)
          @context = context
          @layout = context.layout
          @store = context.store
          @record = record
        end

        # full_names: full names of the installed gems. Returns the number of converted files (Integer).
        def call(full_names)
          @context.link_method == :copy ? copy(full_names) : link(full_names)
        end

        private

        def copy(full_names)
          shared = full_names.flat_map { |name| files(name) }.select { |file| shared?(file) }
          shared.each { |file| @store.guard(file) { bundle_file(file).detach } }.size
        end

        def shared?(file)
          stat = Store::Object.lstat(file)
          !stat.nil? && stat.file? && stat.nlink > 1
        end

        # All files of a package: everything in its folder, the files of its build, and the archive.
        def files(name)
          [*below("#{@layout.gems}/#{name}"), *below("#{@layout.extensions}/#{name}"), "#{@layout.cache}/#{name}.gem"]
        end

        def below(folder) = Dir.glob("**/*", File::FNM_DOTMATCH, base: folder).map { |path| "#{folder}/#{path}" }

        # Converts copies to links, except archives.
        def link(full_names)
          return 0 unless @record && @context.trees?

          entries(full_names).count do |file, entry|
            object = @store.native.object_path(entry[:sha256], entry[:mode])
            next if !@store.native.shares?(file, entry[:mode]) || File.identical?(file, object)
            next unless unchanged?(file, entry) && unchanged?(object, entry)

            @store.guard(file) { bundle_file(file).put(object) }
          end
        end

        # [[path, manifest entry]] of all files of these packages, except gems copied for editing.
        def entries(full_names)
          @record.only(full_names).trees.reject(&:private?).flat_map do |tree|
            packages = tree.packages.filter_map { |key| @store.package(key) }
            packages.flat_map { |manifest| Store::Object.entries(manifest) }
                    .map { |entry| ["#{@record.destination(tree)}/#{entry[:path]}", entry] }
          end
        end

        # Compares size, time and mode, like every check.
        def unchanged?(file, entry)
          stat = Store::Object.lstat(file)
          stat&.file? && stat.size == entry[:size] && (stat.mode & 0o777) == entry[:mode] &&
            (stat.mtime.to_i * 1_000_000_000) + stat.mtime.nsec == entry[:mtime_ns]
        end

        def bundle_file(path) = Store::Edits::BundleFile.at(@layout.root, path)
      end
    end
  end
end
