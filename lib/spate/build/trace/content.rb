# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # The content of files that anybody may have made.
      module Content
        FLAGS = File::RDONLY | File::NONBLOCK | File::NOCTTY

        # Whether anything is there, if only a link that leads nowhere.
        def self.there?(path) = File.exist?(path) || File.symlink?(path)

        # At most so many. nil for what cannot be read or is no regular file: a pipe would be waited for, a device may
        # have no end.
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
