# frozen_string_literal: true

module Spate
  class Lockfile
    # Collects the CHECKSUMS section.
    class Checksums
      HEX = /\A\h{64}\z/
      BASE64 = %r{\A[A-Za-z0-9+/_-]{43}=?\z}

      # full name => { algorithm => digest }. SHA-256 is in lower-case hex, others are as written.
      attr_reader :digests

      def initialize
        @digests = {}
      end

      # text: "sha256=...,sha512=..." or nil. Returns nil, or an error message.
      def add(full_name, text)
        known = (@digests[full_name] ||= {})
        return if text.nil?

        text.split(",") do |part|
          algorithm, digest = part.split("=", 2)
          return "checksum of #{full_name} has no digest: #{part[0, 40].inspect}" if digest.nil? || digest.empty?

          digest = sha256(digest) if algorithm == "sha256"
          return "checksum of #{full_name} is not a SHA-256 digest" if digest.nil?
          return "#{full_name} has two different #{algorithm} checksums" if (known[algorithm] ||= digest) != digest
        end
        nil
      end

      private

      def sha256(digest)
        return digest.downcase if digest.match?(HEX)

        "#{digest.tr("-_", "+/").delete_suffix("=")}=".unpack1("m0").unpack1("H*") if digest.match?(BASE64)
      rescue ArgumentError
        nil # nonzero bits after the digest's end
      end
    end
  end
end
