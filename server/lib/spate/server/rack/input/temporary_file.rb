# frozen_string_literal: true

require "tmpdir"

module Spate
  module Server
    module Rack
      class Input
        # env["rack.input"] of a complete body that is long: an unnamed or unlinked file, which disappears when the
        # process ends.
        class TemporaryFile < ::File
          include Trailers

          # Raised when no folder for temporary files exists.
          class Missing < StandardError
          end

          # Opens a file in TMPDIR. Raises SystemCallError or Missing.
          def self.create
            nameless.binmode
          rescue Errno::EOPNOTSUPP, Errno::EISDIR, Errno::ENOENT, Errno::EINVAL # unsupported by file system or kernel
            named.binmode
          end

          def self.nameless
            raise Errno::EOPNOTSUPP unless const_defined?(:TMPFILE)

            open(folder, RDWR | TMPFILE, 0o600)
          end

          def self.named
            file = nil
            Dir::Tmpname.create("spate-body", folder) do |path|
              file = open(path, RDWR | CREAT | EXCL, 0o600)
              unlink(path)
            end
            file
          end

          def self.folder
            Dir.tmpdir
          rescue ArgumentError => e
            raise Missing, e.message
          end
          private_class_method :nameless, :named, :folder

          # Like StringIO, because applications use either.
          alias length size
        end
      end
    end
  end
end
