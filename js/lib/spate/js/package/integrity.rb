# frozen_string_literal: true

module Spate
  module JS
    class Package
      # The digests of an archive in a lockfile (Subresource Integrity, as npm uses it): of several digests only
      # those of the strongest algorithm count, and any of these may match.
      class Integrity
        # Strongest first => bytes of the digest.
        ALGORITHMS = { "sha512" => 64, "sha384" => 48, "sha256" => 32, "sha1" => 20 }.freeze
        PART = %r{\A(sha512|sha384|sha256|sha1)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?\z}

        # algorithm: String of ALGORITHMS. digests: hex, any of which is right.
        attr_reader :algorithm, :digests

        # Integrity, nil if the text has no digest that is known here. text: "sha512-BASE64 sha1-BASE64", or nil.
        def self.parse(text)
          found = text.to_s.split.filter_map do |part|
            algorithm, base64 = PART.match(part)&.captures
            bytes = base64&.unpack1("m")
            [algorithm, bytes.unpack1("H*")] if bytes && bytes.bytesize == ALGORITHMS[algorithm]
          end
          return if found.empty?

          best = ALGORITHMS.keys.find { |name| found.any? { |algorithm, _| algorithm == name } }
          new(best, found.filter_map { |algorithm, hex| hex if algorithm == best }.uniq)
        end

        def initialize(algorithm, digests)
          @algorithm = algorithm
          @digests = digests
        end

        # The possible names of its package in the store. The package gets the name of the digest that was computed from
        # its archive; the other digests are only claims.
        def names = digests.map { |hex| name(hex) }
        def name(hex) = "#{algorithm}-#{hex}"
        # All digests as one text. Of a single digest it is the package's name.
        def key = names.sort.join("+")
        # Whether another archive with this digest can be made.
        def weak? = algorithm == "sha1"

        def ==(other) = other.is_a?(Integrity) && algorithm == other.algorithm && digests == other.digests
        alias eql? ==
        def hash = [algorithm, digests].hash
        # As lockfiles write it.
        def to_s = digests.map { |hex| "#{algorithm}-#{[[hex].pack("H*")].pack("m0")}" }.join(" ")
      end
    end
  end
end
