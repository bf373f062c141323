# frozen_string_literal: true

module Spate
  class Store
    # The name of a package's manifest. For a gem it is the SHA-256 of the archive. If a mask clears bits of the file
    # modes, the mask is added: "<sha256>", or "<sha256>-755". RubyGems before 3.5.8 uses the archive's modes, and later
    # versions apply the umask. A store may be used with both, and by users with different umasks.
    module PackageKey
      PATTERN = /\A\h{64}(?:-[0-7]{1,3})?\z/
      # Matches the key of an npm package: the digest from lockfiles (JS::Package::Integrity#key) and suffixes for
      # modifications, such as the digest of a patch.
      NPM = /\A(?:sha512|sha384|sha256|sha1)-\h{40,128}(?:-\w+)*\z/
      # Matches a key of either kind.
      ANY = Regexp.union(PATTERN, NPM)
      # The mask that clears no bits.
      UNMASKED = 0o777

      # The first RubyGems that applies the umask (`file_mode(entry.header.mode) & ~File.umask`).
      MASKS_MODES_SINCE = [3, 5, 8].freeze

      module_function

      # The mode bits that a version of RubyGems ("3.3.15") does not clear in installed files.
      def mask(rubygems, umask)
        return UNMASKED if (rubygems.split(".").map(&:to_i) <=> MASKS_MODES_SINCE).negative?

        mask = UNMASKED & ~umask
        mask.zero? ? UNMASKED : mask # the core treats 0 as no mask, and only root could read such files
      end

      # mask: the bits that are not cleared in file modes.
      def of(sha256, mask) = mask == UNMASKED ? sha256 : "#{sha256}-#{mask.to_s(8)}"

      # The archive's SHA-256 in a gem's key, or nil for an npm package, whose archive is not stored.
      def sha256(key) = (key[0, 64] if PATTERN.match?(key))
    end
  end
end
