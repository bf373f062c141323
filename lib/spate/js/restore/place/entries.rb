# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Place
        # Symbolic links and small files at their places. What is there already, and right, stays as it is.
        class Entries
          def initialize(context, folders, trash)
            @context = context
            @folders = folders
            @trash = trash
          end

          # entries: { path => Symlink or TextFile }.
          def call(entries)
            links, files = entries.partition { |_, entry| entry.is_a?(Symlink) }
            link(links.to_h.transform_values(&:target))
            files.each do |path, entry|
              @folders.make(path)
              file(@context.path(path), entry)
            end
          end

          private

          # All in one call of the core, which follows no link on its way.
          def link(links)
            links = links.select { |path, target| lacking?(path, target) }
            return if links.empty?

            result = @context.native.link([], root: @context.root, links: links).last
            raise Interrupted, "interrupted" if result.status == :cancelled
            raise FolderError.for(result.errno, result.member, @context.root) unless result.ok?
          end

          # Whether a link is not there yet; what is in its place makes room.
          def lacking?(path, target)
            full = @context.path(path)
            there = Store::Object.lstat(full) if @folders.clear(path) == :folder
            return false if there&.symlink? && File.readlink(full) == target

            make_room(full, there)
          end

          def make_room(path, there)
            @trash.take(path) if there
            @trash.made(path)
          end

          def file(path, entry)
            return if same?(path, entry)

            make_room(path, Store::Object.lstat(path))
            Ground::Files.write(path, entry.text, mode: entry.mode || (0o666 & ~umask))
          end

          def same?(path, entry)
            stat = Store::Object.lstat(path)
            stat&.file? && stat.size == entry.text.bytesize && (entry.mode.nil? || stat.mode & 0o777 == entry.mode) &&
              File.binread(path) == entry.text.b
          end

          def umask = @umask ||= File.umask
        end
      end
    end
  end
end
