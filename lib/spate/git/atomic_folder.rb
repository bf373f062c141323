# frozen_string_literal: true

require "fileutils"
require "securerandom"

module Spate
  module Git
    # Folders that appear whole or not at all: made beside their place, then renamed.
    module AtomicFolder
      module_function

      # Yields a path that does not exist; what the block makes there is renamed to `path`. Of two processes the first
      # wins. empty: called just before, to remove what may be replaced.
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

      # Removes what killed processes left.
      def sweep(path)
        prefix = "#{File.basename(path)}."
        Dir.children(File.dirname(path)).each do |name|
          pid = name.start_with?(prefix) && name.delete_prefix(prefix)[/\A(\d+)-\h{6}\z/, 1]
          FileUtils.rm_rf(File.join(File.dirname(path), name)) if pid && !Ground::Child.alive?(pid.to_i)
        end
      end

      private_class_method :sweep
    end
  end
end
