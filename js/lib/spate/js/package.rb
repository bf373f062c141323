# frozen_string_literal: true

module Spate
  module JS
    # One archive listed in a lockfile. It may be placed into several folders.
    #
    # name:: its own name (not an alias), e.g. "@babel/core"
    # version:: String, or nil if the lockfile has none (archives by address)
    # integrity:: Integrity, or nil
    # resolved:: the archive's address in the lockfile, nil if the registry determines it; "file:..." for an archive
    #            below the lockfile's folder
    Package = Struct.new(:name, :version, :integrity, :resolved) do
      def initialize(name:, version: nil, integrity: nil, resolved: nil)
        super(Package::Name.check(name, "package"), version, integrity, resolved)
        freeze
      end

      # For the user: "@babel/core@7.0.0".
      def full_name = version ? "#{name}@#{version}" : "#{name} (#{Util.redact(resolved)})"
      def file? = resolved.to_s.start_with?("file:")
    end

    # Reopened as a class body, because Ruby looks up constants lexically.
    class Package
      autoload :Facts, "spate/js/package/facts"

      # Names and paths from untrusted input. Each is checked when it is read, and again when it becomes a path.
      module Name
        # `name` or `@scope/name`. Older packages have capital letters and other characters that npm no longer accepts.
        # A name must be one folder, or a folder in a scope's folder, and neither hidden, nor node_modules, nor a scope.
        PART = %r{(?!\.|@|node_modules(?:/|\z))[^/\\\0\s:]{1,214}}
        # Parts of a path that are empty or lead elsewhere, and NUL, which ends a path for the system.
        OUTSIDE = ["//", "/./", "/../", "\0"].freeze
        NAME = %r{\A(?:@#{PART}/)?#{PART}\z}

        module_function

        # Returns the name. Raises UnsafeNameError. whose: the file or package that contains the name, for the message.
        def check(name, whose)
          return name if name.is_a?(String) && name.valid_encoding? && NAME.match?(name) && name.bytesize <= 214

          raise UnsafeNameError.new(name, whose)
        end

        # A relative path without `.`, `..` and empty parts. Raises UnsafePathError.
        def check_path(path, whose)
          return path if path.is_a?(String) && path.valid_encoding? && inside?(path)

          raise UnsafePathError.new(path, whose)
        end

        # Called thousands of times; faster than a pattern.
        def inside?(path)
          whole = "/#{path}/"
          OUTSIDE.none? { |part| whole.include?(part) }
        end
      end

      # The digests of an archive in a lockfile (Subresource Integrity, as npm uses it): only the digests of the
      # strongest algorithm are used, and any of these may match.
      class Integrity
        # { algorithm => bytes of its digest }, strongest first.
        ALGORITHMS = { "sha512" => 64, "sha384" => 48, "sha256" => 32, "sha1" => 20 }.freeze
        PART = %r{\A(sha512|sha384|sha256|sha1)-([A-Za-z0-9+/]+={0,2})(?:\?.*)?\z}

        # algorithm: a key of ALGORITHMS. digests: hex; any one may match.
        attr_reader :algorithm, :digests

        # Returns an Integrity; nil if the text has no supported digest. text: "sha512-BASE64 sha1-BASE64", or nil.
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

        # The possible names of its package in the store. The store uses the digest that it computed from the archive; a
        # lockfile may list several digests, of which some may be wrong.
        def names = digests.map { |hex| name(hex) }
        def name(hex) = "#{algorithm}-#{hex}"
        # All digests as one text. For a single digest this is the package's name.
        def key = names.sort.join("+")
        # Whether a different archive with this digest can be constructed.
        def weak? = algorithm == "sha1"

        def ==(other) = other.is_a?(Integrity) && algorithm == other.algorithm && digests == other.digests
        alias eql? ==
        def hash = [algorithm, digests].hash
        # The digests in the format of lockfiles.
        def to_s = digests.map { |hex| "#{algorithm}-#{[[hex].pack("H*")].pack("m0")}" }.join(" ")
      end
    end
  end
end
