# frozen_string_literal: true

require "zlib"

module Spate
  module RemoteCache
    # A signed result in a cache, with Records of its inputs.
    #
    # key:: the key in hex; for a build, its build key (Build::Key)
    # kind:: "build"; "check": Bundler's evaluation of a Gemfile (Gemfile::Check); "compile_cache": compile caches of a
    #        bundle
    # what:: the gem's full name, or the result of of_lockfile
    # archive:: SHA-256 of the gem's archive
    # platform, ruby:: for display, and to detect an entry that was moved to a different key
    # id:: id of the build variant in the store that created the entry
    # blob, blob_bytes:: SHA-256 and size of the file written by Pack, or of a compile cache
    # tar_bytes, file_bytes, paths:: size of the tar or compile cache in the blob, size of the tar's files, number of
    #                                paths
    # records:: SHA-256 of the packed records
    # made, seconds:: time when the result was created (Unix time), and how long that took
    # signer:: id of the signing key
    Entry = Struct.new(:key, :kind, :what, :archive, :platform, :ruby, :id, :blob, :blob_bytes, :tar_bytes,
                       :file_bytes, :paths, :records, :made, :seconds, :signer, keyword_init: true) do
      # text: the signed text. packed: the encoded Records. All are bytes.
      attr_accessor :text, :signature, :packed

      # This machine's platform and Ruby, as entries contain them.
      def self.machine
        { platform: Platform.local.to_s, ruby: Util::Ruby.description.sub(" +PRISM", "") }
      end

      # The value of `what` for an entry about a lockfile. text: the content of the lockfile.
      def self.of_lockfile(text) = "lockfile-#{Store.sha256(text)[0, 32]}"

      # Creates a signed entry. facts: the members of the entry, except records and signer. platform, ruby and made
      # default to this machine and the current time. key: Trust::PrivateKey.
      def self.sign(facts, packed, key)
        entry = new(**machine, made: Time.now.to_i, **facts, records: Store.sha256(packed), signer: key.id)
        text = entry.render
        parse(text, key.sign(text), packed)
      end

      # Raises Malformed unless the text has exactly the form that `sign` produces. Does not verify the signature.
      def self.parse(text, signature, packed)
        first, *lines = text.b.lines(chomp: true) if text.bytesize <= self::TEXT
        raise Malformed, "not an entry of this format" unless first == self::FORMAT && signature.bytesize == 64

        values = lines.map { |line| line.split(" ", 2) }
        names = members - self::LACKING.fetch(values.dig(1, 1), [])
        raise Malformed, "an entry with wrong lines" unless values.map(&:first) == names.map(&:to_s)

        entry = new(**names.zip(values.map(&:last)).to_h { |name, value| [name, read(name, value)] })
        raise Malformed, "an entry that is not in canonical form" unless entry.render == text.b

        entry.tap { |made| made.text, made.signature, made.packed = [text, signature, packed].map(&:b) }
      end

      def self.read(name, value)
        raise Malformed, "an entry has an invalid #{name}" unless value&.match?(self::VALUES.fetch(name))

        self::NUMBERS.include?(name) ? value.to_i : value.dup.force_encoding(Encoding::UTF_8)
      end
      private_class_method :read

      # The text to be signed.
      def render = [self.class::FORMAT, *to_h.compact.map { |name, value| "#{name} #{value}" }, ""].join("\n").b

      # Whether the key signed the text and the records match the digest in it. key: Trust::PublicKey.
      def signed_by?(key) = key.verify(signature, text) && Store.sha256(packed) == records
    end

    Entry::FORMAT = "spate entry 1"
    # Maximum size of an entry's text in bytes.
    Entry::TEXT = 4096
    Entry::NUMBERS = %i[blob_bytes tar_bytes file_bytes paths made].freeze
    # Kind => members that its entries do not have.
    Entry::LACKING = {
      "check" => %i[archive blob blob_bytes tar_bytes file_bytes paths seconds],
      "compile_cache" => %i[archive file_bytes paths seconds]
    }.freeze
    Entry::VALUES = begin
      sha256 = /\A[0-9a-f]{64}\z/n
      number = /\A(?:0|[1-9]\d{0,14})\z/n
      { key: sha256, kind: /\A(?:build|check|compile_cache)\z/n, what: /\A\w[\w.+-]{0,254}\z/n, archive: sha256,
        platform: /\A[\w.-]{1,64}\z/n, ruby: /\A[!-~](?:[ -~]{0,198}[!-~])?\z/n, id: /\A[0-9a-f]{16}\z/n,
        blob: sha256, blob_bytes: number, tar_bytes: number, file_bytes: number, paths: number, records: sha256,
        made: number, seconds: /\A\d{1,7}\.\d{1,3}\z/n, signer: /\A[0-9a-f]{32}\z/n }
    end

    # Data that is sent with an entry, so that one response is enough to decide whether a build is usable: records of
    # its inputs and of what it needs to run (both written by Inputs, without stamps), and its facts
    # (Build::Cache::Record). All are bytes.
    Entry::Records = Struct.new(:inputs, :needs, :facts) do
      # Raises Malformed.
      def self.unpack(packed)
        raise Malformed, "records of more than #{self::PACKED} bytes" if packed.bytesize > self::PACKED

        head, rest = inflate(packed).split("\n", 2)
        lengths = head.to_s[/\A\d{1,8} \d{1,8} \d{1,8}\z/n]&.split&.map(&:to_i)
        raise Malformed, "malformed records" unless lengths && lengths.sum == rest&.bytesize

        new(*lengths.map { |length| rest.slice!(0, length) })
      end

      def self.inflate(packed)
        out = String.new(encoding: Encoding::BINARY)
        zlib = Zlib::Inflate.new
        zlib.inflate(packed) do |piece|
          out << piece
          raise Malformed, "records of more than #{self::LIMIT} bytes" if out.bytesize > self::LIMIT
        end
        whole = zlib.finished? && zlib.total_in == packed.bytesize
        raise Malformed, "records of a wrong length" unless whole

        out
      rescue Zlib::Error => e
        raise Malformed, "damaged records: #{e.message}"
      ensure
        zlib&.close
      end
      private_class_method :inflate

      # Encodes the records. The result is deterministic.
      def pack
        packed = Zlib::Deflate.deflate("#{map(&:bytesize).join(" ")}\n".b + map(&:b).join)
        raise Refused, "its records of inputs are too large" if packed.bytesize > self.class::PACKED

        packed
      end
    end

    # Maximum sizes in bytes, packed and unpacked.
    Entry::Records::PACKED = 1 << 20
    Entry::Records::LIMIT = 16 << 20
  end
end
