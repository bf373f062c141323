# frozen_string_literal: true

module Spate
  class Store
    # The name of a package's manifest: its archive's SHA-256, and what the files' modes were masked with, where that
    # took anything: "<sha256>", or "<sha256>-755". RubyGems before 3.5.8 gives files the archive's modes, later ones
    # take off the umask; a store may serve both, and users with several umasks.
    module PackageKey
      PATTERN = /\A\h{64}(?:-[0-7]{1,3})?\z/
      # Takes nothing off.
      WHOLE = 0o777

      module_function

      # mask: bits that the files' modes may have.
      def of(sha256, mask) = mask == WHOLE ? sha256 : "#{sha256}-#{mask.to_s(8)}"

      # The archive's SHA-256 of a key.
      def sha256(key) = key[0, 64]
    end
  end
end
