# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Safely reads files that any user may have created.
      module Content
        FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

        # Whether the path exists, even as a dangling link.
        def self.there?(path) = File.exist?(path) || File.symlink?(path)

        # Bytes, at most `length`. nil if the file is unreadable or not a regular file: a pipe might block, and a device
        # might be endless.
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
