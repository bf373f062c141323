# frozen_string_literal: true

module Spate
  module RemoteCache
    # The trusted signers of entries: named public keys in the setting `spate.cache_keys` and in SPATE_CACHE_KEYS.
    #
    #   ci:MCowBQ...=[:since=2026-11-01]    words, separated by blanks or commas
    class Trust
      SETTING = "spate.cache_keys"
      VARIABLE = "SPATE_CACHE_KEYS"
      # The maximum number of seconds by which a signer's clock may be ahead of this machine's.
      DAY = 24 * 60 * 60

      # The id of the untrusted signer in a reason (see #doubt), or nil.
      def self.untrusted_signer(reason) = reason[/\Asigned by (\h{32}), which is not trusted here\z/, 1]

      # Raises Settings::InvalidValue.
      def self.from(settings)
        texts = { SETTING => settings[SETTING], VARIABLE => settings.env[VARIABLE] }
        new(texts.flat_map do |name, text|
          words(text).map { |word| PublicKey.parse(word, name) }
        end)
      end

      # The words in the text of a setting.
      def self.words(text) = text.to_s.scrub.split(/[\s,]+/).reject(&:empty?)

      # keys: [PublicKey]. If a key is listed twice, the later `since` applies.
      def initialize(keys)
        @keys = keys.group_by(&:id).transform_values { |same| same.max_by(&:since) }
      end

      def keys = @keys.values

      # The reason why a signature is not accepted (String), or nil. signer: id of the key. made: Unix time.
      def doubt(signer, made, now: Time.now)
        key = @keys[signer] or return "signed by #{signer}, which is not trusted here"
        return "signed by #{key.name} before #{day(key.since)}, its first trusted day" if made < key.since

        "signed by #{key.name} at #{day(made)}, which is in the future" if made > now.to_i + DAY
      end

      # Whether the entry's signature is valid and its signer is trusted.
      def signed?(entry) = @keys.key?(entry.signer) && entry.signed_by?(@keys[entry.signer])

      # The reason why an entry under a key is rejected (String), or nil. ruby, platform: see Entry.machine.
      def refusal(entry, key, ruby:, platform:, kind: "build", now: Time.now)
        doubt = doubt(entry.signer, entry.made, now: now) and return doubt
        return "the signature of #{@keys[entry.signer].name} is invalid" unless signed?(entry)
        return "a #{entry.kind}" if entry.kind != kind
        return "for another Ruby: #{entry.ruby}" if entry.ruby != ruby
        return "for another platform: #{entry.platform}" if entry.platform != platform

        "for another key: #{entry.key}" if entry.key != key
      end

      private

      def day(time) = Time.at(time).utc.strftime("%Y-%m-%d")

      # An Ed25519 key that verifies signatures. name: for display. bytes: the 32 bytes of the key (RFC 8032). since:
      # Unix time; older signatures are not accepted.
      PublicKey = Struct.new(:name, :bytes, :since) do
        # Parses "name:base64" or "name:base64:since=2026-11-01". The base64 encodes the 32 bytes, or is the output of
        # `openssl pkey -pubout`. origin: Trust::SETTING, or a description of the word's origin for the error. Raises
        # Settings::InvalidValue.
        def self.parse(word, origin)
          name, text, day = word.split(":", 3)
          bytes = text.to_s.gsub(self::ARMOUR, "").unpack1("m0").delete_prefix(self::PREFIX)
          since = day.nil? ? 0 : since(day)
          raise invalid(word, origin) unless name.to_s.match?(self::NAME) && bytes.bytesize == 32 && since

          new(name, bytes, since)
        rescue ArgumentError # invalid base64
          raise invalid(word, origin)
        end

        def self.since(text)
          year, month, day = text.match(/\Asince=(\d{4})-(\d\d)-(\d\d)\z/)&.captures
          time = Time.utc(year, month, day) if year
          time.to_i if time && time.day == day.to_i # rejects dates such as 31 February
        end

        def self.invalid(word, origin)
          told = origin == SETTING ? {} : { thing: origin, hint: "spate cache key NAME creates and prints one" }
          Settings::InvalidValue.new(origin, word, "NAME:KEY or NAME:KEY:since=2026-11-01, with an Ed25519 key in " \
                                                   "base64", **told)
        end
        private_class_method :since, :invalid

        # The id of the key: 32 hex digits.
        def id = @id ||= Store.sha256(bytes)[0, 32]

        # The key in the format of the setting.
        def word = since.zero? ? to_s : "#{self}:since=#{Time.at(since).utc.strftime("%F")}"

        # The key in the format of the setting, without `since`.
        def to_s = "#{name}:#{[bytes].pack("m0")}"

        # signature: 64 bytes.
        def verify(signature, text)
          key.verify(nil, signature, text)
        rescue OpenSSL::PKey::PKeyError
          false
        end

        private

        # RFC 8410: a SubjectPublicKeyInfo consists of these bytes and the key.
        def key
          @key ||= begin
            Util::Openssl.load
            OpenSSL::PKey.read("#{self.class::PREFIX}#{bytes}".b)
          end
        end
      end

      PublicKey::PREFIX = ["302a300506032b6570032100"].pack("H*").freeze
      PublicKey::NAME = /\A[\w.@-]{1,64}\z/
      # Matches the PEM lines around the base64, and line ends, including "\n" as two characters, as in some environment
      # variables.
      PublicKey::ARMOUR = /-----(?:BEGIN|END) PUBLIC KEY-----|\s|\\n/

      # An Ed25519 key that creates signatures. Only machines that may write to the cache have one.
      class PrivateKey
        VARIABLE = Util::SigningKey::VARIABLE

        # The key of this machine, or nil. Raises Settings::Error.
        def self.of(env)
          text = Util::SigningKey.of(env) and load(text)
        end

        # text: PEM (PKCS #8, as written by `openssl genpkey -algorithm ed25519`), or the path of a file with it, or
        # SigningKey::HANDED. Raises Settings::Error, whose message never contains the text.
        def self.load(text)
          new(read(lines(pem(text))))
        rescue SystemCallError, ArgumentError => e # ArgumentError: the path contains a null byte
          raise Settings::Error.new("#{VARIABLE} is neither a key in PEM nor the path of a file: " \
                                    "#{e.class.name[/\w+\z/]}", hint: HINT)
        end

        def self.pem(text)
          return text if text.include?("-----BEGIN") || public?(text)

          (text == Util::SigningKey::HANDED ? $stdin.read(LIMIT) : File.read(text, LIMIT)).to_s
        end

        def self.read(pem)
          raise Settings::Error.new("#{VARIABLE} is a public key, expected a private one", hint: OTHER) if public?(pem)

          Util::Openssl.load
          # Without a password argument, OpenSSL would prompt for one on the terminal.
          key = OpenSSL::PKey.read(pem, "")
          raise Settings::Error.new("#{VARIABLE} is a key of #{key.oid}, expected ED25519", hint: HINT) unless
            key.oid == "ED25519"
          return key if key.private_to_der
        rescue OpenSSL::PKey::PKeyError, ArgumentError
          raise Settings::Error.new("#{VARIABLE} has no private key in PEM, or the key has a password", hint: HINT)
        end

        # Restores the line ends of a PEM on a single line, since some CI systems do not support variables with several
        # lines.
        def self.lines(pem)
          return pem if pem.strip.match?(/[\r\n]/)

          pem.gsub(/(?<=-----)(?!BEGIN|END)[^-]+/) { |text| "\n#{text.gsub(/\s+|\\n/, "\n").strip}\n" }
        end

        def self.public?(text) = text.match?(%r{\A\s*(?:-----BEGIN PUBLIC KEY|[\w.@-]{1,64}:[\w+/]{43}=)})
        private_class_method :pem, :read, :lines, :public?

        def self.generate
          Util::Openssl.load
          new(OpenSSL::PKey.generate_key("ED25519"))
        end

        LIMIT = 64 << 10
        HINT = "spate cache key NAME creates one in NAME.pem"
        OTHER = "use the file NAME.pem that `spate cache key NAME` wrote; the printed key is for `spate cache trust`"
        private_constant :LIMIT, :HINT, :OTHER

        # key: OpenSSL::PKey.
        def initialize(key)
          @key = key
        end

        def sign(text) = @key.sign(nil, text)
        def id = public_key("own").id
        def public_key(name) = PublicKey.new(name, @key.public_to_der.byteslice(-32, 32), 0)
        # The key in PKCS #8, without a password.
        def to_pem = @key.private_to_pem
        def inspect = "#<#{self.class} #{id}>"
      end
    end
  end
end
