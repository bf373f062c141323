# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Safely reads files that another user may have created.
      module Content
        FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

        # Whether the path exists, even as a dangling link.
        def self.exist?(path) = File.exist?(path) || File.symlink?(path)

        # Returns at most `length` bytes. Returns nil if the file is unreadable or not a regular file, because a pipe
        # might block and a device might be endless.
        def self.of(path, length = nil)
          return unless File.file?(path)

          File.open(path, FLAGS) { |file| file.binmode.read(length).to_s if file.stat.file? }
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
