# frozen_string_literal: true

module Spate
  module Build
    # Puts what a build made, changed and removed into the store, under its key.
    class Recorder
      # Left behind by the build and read by no running program: logs, makefiles, objects. They name the folder they
      # were made in; so do those that Bundler copies from one bundle to another.
      LEFTOVER = %r{(?:\.(?:o|a|la|lo|d|pc|log|time|mk)|/gem_make\.out|/Makefile)\z}
      # Bytes; a text that is larger is not read, so it may name anything.
      LARGEST = 16 << 20

      # store: takes what is recorded. root: the bundle's folder.
      def initialize(store, libraries, toolchain, root)
        @store = store
        @libraries = libraries
        @toolchain = toolchain
        @root = root
      end

      # before, after: Snapshots. Answers Stored, or nil where the store cannot keep it.
      def call(job, before, after, seconds:)
        paths = after.since(before)
        files = paths.reject { |path| after.directory?(path) }
        record = record(job, files, before, after)
        record.seconds = seconds
        key = Key.bound(job.key, *record.bounds)
        @store.native.write_manifest(@store.build_path(key), job.archive_sha256, entries(paths, before, after),
                                     record.to_s)
        @store.build(key)&.then { |manifest| Stored.new(@store, key, manifest) }
      end

      private

      def record(job, files, before, after)
        binaries = files.filter_map { |path| Elf.read(path)&.then { |elf| [path, elf] } if File.file?(path) }.to_h
        texts = files.reject { |path| binaries[path] || !File.file?(path) || File.symlink?(path) }
        Record.new(
          full_name: job.package.full_name, own: job.own,
          root: (@root if files.any? { |path| names_root?(path, binaries[path], job.loaded) }),
          processor: (Processor.identity if job.processor || texts.any? { |path| names_processor?(path) }),
          removed: after.removed_since(before).map { |path| relative(path) },
          libraries: binaries.flat_map { |path, elf| linked(path, elf, files) }.uniq(&:first),
          absent: Absent.new(@toolchain, @root).of(texts.select { |path| File.basename(path) == "mkmf.log" })
        )
      end

      # A log or makefile tells by which commands the build was made; so do cargo's own notes.
      def names_processor?(path)
        return false if File.binread(path, 1024).to_s.include?("\0")

        File.size(path) > LARGEST || Processor.named?(File.binread(path))
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
    end
  end
end
