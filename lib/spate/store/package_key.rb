# frozen_string_literal: true

module Spate
  class Store
    # The name of a package's manifest. For a gem: its archive's SHA-256, and the mask of its files' modes if it clears
    # any bits: "<sha256>", or "<sha256>-755". RubyGems before 3.5.8 gives files the archive's modes; later versions
    # apply the umask. A store may be used with both, and by users with different umasks.
    module PackageKey
      PATTERN = /\A\h{64}(?:-[0-7]{1,3})?\z/
      # For an npm package: the digest from lockfiles (JS::Package::Integrity#key), and its modifications: a patch's
      # digest, what the tool rewrites.
      NPM = /\A(?:sha512|sha384|sha256|sha1)-\h{40,128}(?:-\w+)*\z/
      # Either of them.
      ANY = Regexp.union(PATTERN, NPM)
      # Clears no bits.
      WHOLE = 0o777

      # The first RubyGems that applies the umask (`file_mode(entry.header.mode) & ~File.umask`).
      MASKED_SINCE = [3, 5, 8].freeze

      module_function

      # The mode bits that a version of RubyGems ("3.3.15") keeps in installed files.
      def mask(rubygems, umask)
        return WHOLE if (rubygems.split(".").map(&:to_i) <=> MASKED_SINCE).negative?

        mask = WHOLE & ~umask
        mask.zero? ? WHOLE : mask # only root could read such files, and 0 means no mask in the core
      end

      # mask: bits that the files' modes may have.
      def of(sha256, mask) = mask == WHOLE ? sha256 : "#{sha256}-#{mask.to_s(8)}"

      # The archive's SHA-256 in a gem's key; nil for an npm package, whose archive is not stored.
      def sha256(key) = (key[0, 64] if PATTERN.match?(key))
    end
  end
end
