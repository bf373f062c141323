# frozen_string_literal: true

require "tmpdir"

module Spate
  module Server
    module Rack
      class BufferedBody
        # A file that never has a name, or has lost it: whatever becomes of this process, nothing is left behind.
        module TemporaryFile
          # There is no folder for it.
          class Missing < StandardError
          end

          # In TMPDIR. SystemCallError, Missing.
          def self.open
            nameless(folder)
          rescue Errno::EOPNOTSUPP, Errno::EISDIR, Errno::ENOENT, Errno::EINVAL # of this file system or system
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
