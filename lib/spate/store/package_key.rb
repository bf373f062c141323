# frozen_string_literal: true

module Spate
  class Store
    # The name of a package's manifest. For a gem it is the SHA-256 of the archive plus, if it clears any bits, the mask
    # of the files' modes: "<sha256>", or "<sha256>-755". RubyGems before 3.5.8 uses the archive's modes; later versions
    # apply the umask. A store may be used with both, and by users with different umasks.
    module PackageKey
      PATTERN = /\A\h{64}(?:-[0-7]{1,3})?\z/
      # For an npm package: the digest from lockfiles (JS::Package::Integrity#key) and its modifications, such as the
      # digest of a patch or rewriting by the tool.
      NPM = /\A(?:sha512|sha384|sha256|sha1)-\h{40,128}(?:-\w+)*\z/
      # Matches a key of either kind.
      ANY = Regexp.union(PATTERN, NPM)
      # The mask that clears no bits.
      WHOLE = 0o777

      # The first RubyGems that applies the umask (`file_mode(entry.header.mode) & ~File.umask`).
      MASKED_SINCE = [3, 5, 8].freeze

      module_function

      # The mode bits that a version of RubyGems ("3.3.15") keeps in installed files.
      def mask(rubygems, umask)
        return WHOLE if (rubygems.split(".").map(&:to_i) <=> MASKED_SINCE).negative?

        mask = WHOLE & ~umask
        mask.zero? ? WHOLE : mask # only root could read such files, and the core takes 0 as no mask
      end

      # mask: the bits that may be set in the files' modes.
      def of(sha256, mask) = mask == WHOLE ? sha256 : "#{sha256}-#{mask.to_s(8)}"

      # The archive's SHA-256 in a gem's key; nil for an npm package, whose archive is not stored.
      def sha256(key) = (key[0, 64] if PATTERN.match?(key))
    end
  end
end
