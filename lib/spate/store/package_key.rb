# frozen_string_literal: true

module Spate
  class Store
    # The name of a package's manifest. Of a gem: its archive's SHA-256, and the mask of its files' modes where that
    # takes anything off: "<sha256>", or "<sha256>-755". RubyGems before 3.5.8 gives files the archive's modes, later
    # ones take the umask off; a store may serve both, and users with different umasks.
    module PackageKey
      PATTERN = /\A\h{64}(?:-[0-7]{1,3})?\z/
      # Of an npm package: the digest that lockfiles name it by (JS::Package::Integrity#key), and what was made
      # of it: a patch's digest, what the tool rewrites.
      NPM = /\A(?:sha512|sha384|sha256|sha1)-\h{40,128}(?:-\w+)*\z/
      # Either.
      ANY = Regexp.union(PATTERN, NPM)
      # Takes nothing off.
      WHOLE = 0o777

      # The first RubyGems that takes the umask off (`file_mode(entry.header.mode) & ~File.umask`).
      MASKED_SINCE = [3, 5, 8].freeze

      module_function

      # Bits that RubyGems of a version, "3.3.15", leaves to the files that it installs.
      def mask(rubygems, umask)
        return WHOLE if (rubygems.split(".").map(&:to_i) <=> MASKED_SINCE).negative?

        mask = WHOLE & ~umask
        mask.zero? ? WHOLE : mask # nobody but root could read such files, and the core takes no mask for none
      end

      # mask: bits that the files' modes may have.
      def of(sha256, mask) = mask == WHOLE ? sha256 : "#{sha256}-#{mask.to_s(8)}"

      # The archive's SHA-256 of a gem's key; nil of an npm package's, whose archive is not kept.
      def sha256(key) = (key[0, 64] if PATTERN.match?(key))
    end
  end
end
