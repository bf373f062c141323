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
            entries.group_by { |path, _| File.dirname(path) }.each_value do |group|
              @folders.make(group.first.first)
              group.each { |path, entry| put(@context.path(path), entry) }
            end
          rescue SystemCallError => e
            raise Store::Error.for(e, @context.root)
          end

          private

          def put(path, entry)
            entry.is_a?(Symlink) ? symlink(path, entry.target) : file(path, entry)
          end

          def symlink(path, target)
            File.symlink(target, path)
          rescue Errno::EEXIST
            return if File.symlink?(path) && File.readlink(path) == target

            @trash.take(path)
            File.symlink(target, path)
          end

          def file(path, entry)
            return if same?(path, entry)

            @trash.take(path) if File.directory?(path) && !File.symlink?(path)
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
