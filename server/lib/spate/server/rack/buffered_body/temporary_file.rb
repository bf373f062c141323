# frozen_string_literal: true

require "tmpdir"

module Spate
  module Server
    module Rack
      class BufferedBody
        # An unnamed or unlinked file, which disappears when the process ends.
        module TemporaryFile
          # Raised when no folder for temporary files exists.
          class Missing < StandardError
          end

          # Opens a file in TMPDIR. Raises SystemCallError or Missing.
          def self.open
            nameless(folder)
          rescue Errno::EOPNOTSUPP, Errno::EISDIR, Errno::ENOENT, Errno::EINVAL # unsupported by file system or kernel
            named
          end

          def self.folder
            Dir.tmpdir
          rescue ArgumentError => e
            raise Missing, e.message
          end

          def self.nameless(folder)
            raise Errno::EOPNOTSUPP unless defined?(File::TMPFILE)

            File.open(folder, File::RDWR | File::TMPFILE | File::BINARY, 0o600)
          end

          def self.named
            require "tempfile"
            Tempfile.create("spate-body", binmode: true).tap { |file| File.unlink(file.path) }
          end
          private_class_method :folder, :nameless, :named
        end
      end
    end
  end
end
