# frozen_string_literal: true

module Spate
  module Install
    # The folder of a bundle, or of a project with node_modules. Only one install at a time works in it.
    module BundleFolder
      module_function

      # Yields with a lock on the folder. events: for a warning about a long wait (see FolderLock). Raises HeldError.
      def lock(root, events = nil)
        folder = open(root)
        folder.flock(File::LOCK_EX | File::LOCK_NB) || FolderLock.acquire(folder, events)
        yield
      ensure
        folder&.close
      end

      # Writes a file atomically. The temporary file always has the same name, so that the next install overwrites one
      # left by a killed process.
      def write(path, text, mode: nil) = Util::Files.write(path, text, mode: mode, over: "#{path}.tmp")

      # On a case-insensitive file system, gems whose names differ only in case would share one folder, and the second
      # would replace the first. Bundler would mix their files. Raises IndistinctError.
      def check_names(root, full_names)
        alike = full_names.uniq.group_by(&:downcase).values.find { |names| names.size > 1 }
        raise IndistinctError.folder(alike, root) if alike && one_case?(root)
      end

      def one_case?(root)
        Util::Files.make_folder(root)
        path = File.join(root, ".Spate-#{Process.pid}")
        File.write(path, "")
        File.exist?(File.join(root, File.basename(path).downcase))
      rescue SystemCallError => e
        raise Store::Error.for(e, root)
      ensure
        File.unlink(path) if path && File.exist?(path)
      end

      def open(root)
        Util::Files.make_folder(root)
        File.open(root)
      rescue Errno::EACCES, Errno::EROFS, Errno::ENOTDIR, Errno::ENOENT, Errno::ELOOP, Errno::ENOSPC => e
        raise Store::Full.at(root) if e.is_a?(Errno::ENOSPC)

        denied = PermissionError.new(root) if e.is_a?(Errno::EACCES)
        raise Store::Error.new(denied&.message || "#{root}: #{e.class.new.message.downcase}",
                               hint: denied&.hint || "check the path: `bundle config path`")
      end
      private_class_method :one_case?, :open
    end
  end
end
