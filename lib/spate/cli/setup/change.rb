# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # A change to one file of an application. before, after: the file's text, or nil for a missing file.
      Change = Struct.new(:root, :path, :before, :after) do
        # The text of a file, or nil if it is missing or not UTF-8.
        def self.read(path)
          text = File.read(path, encoding: Encoding::UTF_8)
          text if text.valid_encoding?
        rescue SystemCallError
          nil
        end

        # The file's path, or the target's path if it is a symlink.
        def file
          path = File.join(root, self.path)
          File.exist?(path) ? File.realpath(path) : path
        end

        def diff = Diff.new(path, before, after).to_s
        def written? = Change.read(file) == after
        # Not if the file was deleted: then nothing has to be restored.
        def edited? = File.exist?(file) && ![before, after].include?(Change.read(file))
        def edited_before? = Change.read(file) != before
        def reverse = Change.new(root, path, after, before)

        # Replaces the file atomically, with its permissions.
        def write
          return remove if after.nil?

          Util::Files.make_folder(File.dirname(file))
          mode = File.exist?(file) ? File.stat(file).mode & 0o7777 : 0o644
          Util::Files.write(file, after, mode: mode)
        end

        private

        # Also removes folders that become empty.
        def remove
          folder = File.dirname(file)
          Util::Files.remove(file)
          folder = File.dirname(folder) while folder != root && Dir.empty?(folder) && Dir.rmdir(folder)
        end
      end
    end
  end
end
