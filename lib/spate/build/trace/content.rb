# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The content of files that anyone may have made.
      module Content
        FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

        # Whether anything is there, even a dangling link.
        def self.there?(path) = File.exist?(path) || File.symlink?(path)

        # Bytes, at most `length`. nil for what cannot be read or is not a regular file: a pipe might block, a device
        # might not end.
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
