# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Makes symbolic links and small files. Correct ones stay.
        class Entries
          # In the core's format.
          def self.plain(entry) = entry.is_a?(Symlink) ? entry.target : [entry.text, entry.mode]

          def initialize(context, folders, trash)
            @context = context
            @folders = folders
            @trash = trash
          end

          # entries: { path => Symlink or TextFile }. Files without a mode, such as completion markers, are written last
          # and atomically.
          def call(entries)
            later, now = entries.partition { |_, entry| entry.is_a?(TextFile) && entry.mode.nil? }
            make(now)
            later.each do |path, entry|
              @folders.make(path)
              file(@context.path(path), entry)
            end
          end

          private

          # All in one call of the core, which follows no link on its way.
          def make(entries)
            lacking = entries.select { |path, entry| lacking?(path, entry) }
            return if lacking.empty?

            links = lacking.to_h.transform_values { |entry| Entries.plain(entry) }
            result = @context.native.link([], root: @context.root, links: links).last
            raise Interrupted, "interrupted" if result.status == :cancelled
            raise FolderError.for(result.errno, result.member, @context.root) unless result.ok?
          end

          # Whether an entry is not there yet; what is in its place makes room.
          def lacking?(path, entry)
            full = @context.path(path)
            there = Store::Object.lstat(full) if @folders.clear(path) == :folder
            return false if there && same?(full, entry, there)

            make_room(full, there)
            true
          end

          def make_room(path, there)
            @trash.take(path) if there
            @trash.made(path)
          end

          def file(path, entry)
            stat = Store::Object.lstat(path)
            return if stat && same?(path, entry, stat)

            make_room(path, stat)
            Util::Files.write(path, entry.text, mode: 0o666 & ~umask)
          end

          def same?(path, entry, stat)
            return stat.symlink? && File.readlink(path) == entry.target if entry.is_a?(Symlink)

            stat.file? && stat.size == entry.text.bytesize && (entry.mode.nil? || stat.mode & 0o777 == entry.mode) &&
              File.binread(path) == entry.text.b
          end

          def umask = @umask ||= File.umask
        end
      end
    end
  end
end
