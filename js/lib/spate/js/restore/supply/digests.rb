# frozen_string_literal: true

module Spate
  module JS
    module Restore
      module Supply
        # Verifies an archive against the lockfile. The core verifies one SHA-512 while it unpacks; all other digests
        # are computed here, before anything is unpacked.
        module Digests
          CLASSES = { "sha512" => :SHA512, "sha384" => :SHA384, "sha256" => :SHA256, "sha1" => :SHA1 }.freeze

          module_function

          # The digest that the core verifies: hex, or nil.
          def for_core(integrity)
            integrity.digests.first if integrity && integrity.algorithm == "sha512" && integrity.digests.one?
          end

          # Verifies all others. Returns the archive's digest (if the core verifies it: the expected one), nil without
          # an integrity. Raises ChecksumError. path: of the item's archive.
          def verify(item, path)
            return unless item.integrity

            for_core(item.integrity) || of(item.integrity, path).tap do |found|
              raise ChecksumError.new(item, found) unless item.integrity.digests.include?(found)
            end
          end

          # Hex digest of a file by an Integrity's algorithm.
          def of(integrity, path)
            require "digest"
            Digest.const_get(CLASSES.fetch(integrity.algorithm)).file(path).hexdigest
          end
        end
      end
    end
  end
end
