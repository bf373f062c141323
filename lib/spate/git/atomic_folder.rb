# frozen_string_literal: true

require "fileutils"
require "securerandom"

module Spate
  module Git
    # Folders that are created atomically: made under a temporary name next to the target, then renamed.
    module AtomicFolder
      module_function

      # Yields a path that does not exist; the folder made there is renamed to `path`. Of two processes the first wins.
      # empty: called just before the rename, to remove an existing folder.
      def fill(path, empty: nil)
        FileUtils.mkdir_p(File.dirname(path))
        sweep(path)
        temporary = "#{path}.#{Process.pid}-#{SecureRandom.hex(3)}"
        yield temporary
        empty&.call
        File.rename(temporary, path)
      rescue Errno::ENOTEMPTY, Errno::EEXIST
        nil # another process was first
      ensure
        FileUtils.rm_rf(temporary) if temporary
      end

      # Removes leftovers of killed processes.
      def sweep(path)
        prefix = "#{File.basename(path)}."
        Dir.children(File.dirname(path)).each do |name|
          pid = name.start_with?(prefix) && name.delete_prefix(prefix)[/\A(\d+)-\h{6}\z/, 1]
          FileUtils.rm_rf(File.join(File.dirname(path), name)) if pid && !Util::Child.alive?(pid.to_i)
        end
      end

      private_class_method :sweep
    end
  end
end
