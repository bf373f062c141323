# frozen_string_literal: true

module Spate
  module Registry
    # Functions for a downloaded file that should be a gem.
    module Archive
      # The offset of "ustar" in a POSIX tar, which every gem is.
      MAGIC_OFFSET = 257
      MAGIC = "ustar"

      module_function

      # The SHA-256 in hex. Releases the GVL if the extension is built.
      def sha256(path)
        require "spate/native/install"
        Native.sha256_file(path)
      rescue LoadError
        require "openssl"
        OpenSSL::Digest.new("SHA256").file(path).hexdigest
      end

      # A description of a file that is not a gem, such as `an HTML page ("Sign in")`; nil for a gem.
      def problem(path)
        head = File.binread(path, 4096) || ""
        return if head.byteslice(MAGIC_OFFSET, MAGIC.bytesize) == MAGIC

        describe(head)
      end

      # Like oddity, for the first bytes of a file.
      def describe(head)
        return "nothing" if head.empty?
        return "an HTML page#{title(head)}" if head.match?(/\A\s*(?:<!doctype html|<html|<head|<body|<\?xml)/in)
        return "a JSON document" if head.match?(/\A\s*[{\[]/n)

        head.match?(/[\x00-\x08\x0e-\x1f]/n) ? "something else" : "a text (#{printable(head[0, 60]).inspect})"
      end

      def title(head)
        found = head[%r{<title[^>]*>(.*?)</title>}imn, 1]
        found ? " (#{printable(found.strip[0, 80]).inspect})" : ""
      end

      def printable(bytes) = bytes.dup.force_encoding(Encoding::UTF_8).scrub("?").gsub(/\p{Cntrl}+/, " ").strip
    end
  end
end
