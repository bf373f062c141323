# frozen_string_literal: true

module Spate
  module Build
    # Puts what a build made, changed and removed into the store, under its key.
    class Recorder
      # Left behind by the build and read by no running program: logs, makefiles, objects. They name the folder they
      # were made in; so do those that Bundler copies from one bundle to another.
      LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}

      # root: the bundle's folder.
      def initialize(store, libraries, root)
        @store = store
        @libraries = libraries
        @root = root
      end

      # before, after: Snapshots. loaded: the gem's require paths (absolute). Answers the Native::Manifest, or nil where
      # the store cannot keep it.
      def call(key, before, after, full_name:, archive_sha256:, loaded:, seconds:)
        paths = after.since(before)
        files = paths.reject { |path| after.directory?(path) }
        record = record(files, before, after, loaded).tap do |made|
          made.full_name = full_name
          made.seconds = seconds
        end
        entries = entries(paths, before, after)
        write(record.root ? Key.rooted(key, record.root) : key, archive_sha256, entries, record)
      end

      private

      def record(files, before, after, loaded)
        binaries = files.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        Record.new(
          root: (@root if files.any? { |path| names_root?(path, binaries[path], loaded) }),
          removed: after.removed_since(before).map { |path| relative(path) },
          libraries: binaries.flat_map { |path, elf| linked(path, elf, files) }.uniq(&:first)
        )
      end

      # Whether a file works only where the bundle lies now.
      def names_root?(path, elf, loaded)
        return elf.mapped?(@root) if elf
        return false if File.symlink?(path) && !File.readlink(path).start_with?(@root)
        return true if File.symlink?(path)
        return false if LEFTOVER.match?(path.b) # a name of whatever bytes

        # cargo's whole target folder lies in the extension's; of that, only Ruby files are loaded.
        read = loaded.any? { |folder| path.start_with?("#{folder}/") } || path.end_with?(".rb")
        read && File.binread(path).include?(@root.b)
      end

      # Libraries of the machine that a file needs; those that the bundle itself brings are not the machine's.
      def linked(path, elf, files)
        own = files.map { |file| File.basename(file) }
        search = elf.search.map { |folder| folder.gsub(/\$\{?ORIGIN\}?/, File.dirname(path)) }
        (elf.needed - own).filter_map do |name|
          found = @libraries.find(name, search)
          [name, found, *search.reject { |folder| inside?(folder) }] if found && !inside?(found)
        end
      end

      def inside?(path) = File.expand_path(path).start_with?("#{@root}/")

      def entries(paths, before, after)
        parents = paths.to_h { |path| [File.dirname(path), true] }
        paths.filter_map do |path|
          type, mode, = after.entries[path]
          case type
          when "file" then @store.native.adopt(path).merge(path: relative(path), type: :file)
          when "link" then empty(path, :symlink, mode).merge(target: File.readlink(path))
          when "directory" then empty(path, :directory, mode) unless parents[path] && made?(path, mode, before)
          end
        end
      end

      # Whether linking what lies in the folder makes it, and as it is.
      def made?(path, mode, before) = !before.entries.key?(path) && mode == 0o777 & ~Key.umask

      def empty(path, type, mode)
        { path: relative(path), type: type, mode: mode, size: 0, mtime_ns: 0, sha256: nil, target: nil }
      end

      def relative(path) = path.delete_prefix("#{@root}/")

      def write(key, archive_sha256, entries, record)
        @store.native.write_manifest(@store.build_path(key), archive_sha256, entries, record.to_s)
        @store.build(key)
      end
    end
  end
end
