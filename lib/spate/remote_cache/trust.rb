# frozen_string_literal: true

module Spate
  module RemoteCache
    # The signers whose entries count here: public keys with names, of the setting `spate.cache_keys` and of
    # SPATE_CACHE_KEYS.
    #
    #   ci:MCowBQ...=[:since=2026-11-01]    words, between blanks or commas
    class Trust
      SETTING = "spate.cache_keys"
      VARIABLE = "SPATE_CACHE_KEYS"
      # Seconds that a signer's clock may be before this one.
      DAY = 24 * 60 * 60

      # The id of the untrusted signer in a reason (see #doubt); else nil.
      def self.stranger(reason) = reason[/\Asigned by (\h{32}), which is not trusted here\z/, 1]

      # Raises Settings::InvalidValue.
      def self.from(settings)
        texts = { SETTING => settings[SETTING], VARIABLE => settings.env[VARIABLE] }
        new(texts.flat_map do |name, text|
          words(text).map { |word| PublicKey.parse(word, name) }
        end)
      end

      # Of a setting with any content.
      def self.words(text) = text.to_s.scrub.split(/[\s,]+/).reject(&:empty?)

      # keys: [PublicKey]. Of one that is there twice the later `since` counts.
      def initialize(keys)
        @keys = keys.group_by(&:id).transform_values { |same| same.max_by(&:since) }
      end

      def keys = @keys.values

      # Why what a key signed does not count, in words; nil where it does. signer: its id. made: Unix time.
      def doubt(signer, made, now: Time.now)
        key = @keys[signer] or return "signed by #{signer}, which is not trusted here"
        return "signed by #{key.name} before #{day(key.since)}, since when it counts" if made < key.since

        "signed by #{key.name} at #{day(made)}, which is to come" if made > now.to_i + DAY
      end

      # Whether an entry is what its signer, whom one trusts, has signed.
      def signed?(entry) = @keys.key?(entry.signer) && entry.signed_by?(@keys[entry.signer])

      # The same of an entry that came under a key. ruby, platform: this machine's, as entries have them.
      def refusal(entry, key, ruby:, platform:, kind: "build", now: Time.now)
        doubt = doubt(entry.signer, entry.made, now: now) and return doubt
        return "not what #{@keys[entry.signer].name} signed" unless signed?(entry)
        return "a #{entry.kind}" if entry.kind != kind
        return "for another Ruby: #{entry.ruby}" if entry.ruby != ruby
        return "for another platform: #{entry.platform}" if entry.platform != platform

        "for another key: #{entry.key}" if entry.key != key
      end

      private

      def day(time) = Time.at(time).utc.strftime("%Y-%m-%d")

      # An Ed25519 key that verifies. name: for people. bytes: the key itself, 32 of them (RFC 8032). since: Unix time;
      # what it signed before does not count.
      PublicKey = Struct.new(:name, :bytes, :since) do
        # "name:base64" or "name:base64:since=2026-11-01"; the base64 of the key itself, or as `openssl pkey -pubout`
        # writes it. origin: Trust::SETTING, or in words where the word is from, for the error. Raises
        # Settings::InvalidValue.
        def self.parse(word, origin)
          name, text, day = word.split(":", 3)
          bytes = text.to_s.gsub(self::ARMOUR, "").unpack1("m0").delete_prefix(self::PREFIX)
          since = day.nil? ? 0 : since(day)
          raise invalid(word, origin) unless name.to_s.match?(self::NAME) && bytes.bytesize == 32 && since

          new(name, bytes, since)
        rescue ArgumentError # no base64
          raise invalid(word, origin)
        end

        def self.since(text)
          year, month, day = text.match(/\Asince=(\d{4})-(\d\d)-(\d\d)\z/)&.captures
          time = Time.utc(year, month, day) if year
          time.to_i if time && time.day == day.to_i # 31 February is not a day
        end

        def self.invalid(word, origin)
          told = origin == SETTING ? {} : { thing: origin, hint: "spate cache key NAME makes one and prints it" }
          Settings::InvalidValue.new(origin, word, "NAME:KEY or NAME:KEY:since=2026-11-01, with an Ed25519 key in " \
                                                   "base64", **told)
        end
        private_class_method :since, :invalid

        # 32 hex digits.
        def id = @id ||= Store.sha256(bytes)[0, 32]

        # As in the setting.
        def word = since.zero? ? to_s : "#{self}:since=#{Time.at(since).utc.strftime("%F")}"

        # The same without since.
        def to_s = "#{name}:#{[bytes].pack("m0")}"

        # signature: 64 bytes.
        def verify(signature, text)
          key.verify(nil, signature, text)
        rescue OpenSSL::PKey::PKeyError
          false
        end

        private

        # RFC 8410: a SubjectPublicKeyInfo is these bytes and the key.
        def key
          @key ||= begin
            Util::Openssl.load
            OpenSSL::PKey.read("#{self.class::PREFIX}#{bytes}".b)
          end
        end
      end

      PublicKey::PREFIX = ["302a300506032b6570032100"].pack("H*").freeze
      PublicKey::NAME = /\A[\w.@-]{1,64}\z/
      # PEM's frame around base64, and its line ends, also as "\n" in a variable.
      PublicKey::ARMOUR = /-----(?:BEGIN|END) PUBLIC KEY-----|\s|\\n/

      # An Ed25519 key that signs: what a machine that may write to the cache has, and no other.
      class PrivateKey
        VARIABLE = Util::SigningKey::VARIABLE

        # The one of this machine, nil where it has none. Raises Settings::Error.
        def self.of(env)
          text = Util::SigningKey.of(env) and load(text)
        end

        # text: PEM (PKCS #8, as `openssl genpkey -algorithm ed25519` writes it), or the path of a file with it, or
        # SigningKey::HANDED. Raises Settings::Error, which never has the text in it.
        def self.load(text)
          new(read(lines(pem(text))))
        rescue SystemCallError, ArgumentError => e # a NUL in the path
          raise Settings::Error.new("#{VARIABLE} is neither PEM nor the path of a file: #{e.class.name[/\w+\z/]}",
                                    hint: HINT)
        end

        def self.pem(text)
          return text if text.include?("-----BEGIN") || public?(text)

          (text == Util::SigningKey::HANDED ? $stdin.read(LIMIT) : File.read(text, LIMIT)).to_s
        end

        def self.read(pem)
          raise Settings::Error.new("#{VARIABLE} is a public key, expected a private one", hint: OTHER) if public?(pem)

          Util::Openssl.load
          # Without a password it would be asked for on the terminal.
          key = OpenSSL::PKey.read(pem, "")
          raise Settings::Error.new("#{VARIABLE} is a key of #{key.oid}, expected ED25519", hint: HINT) unless
            key.oid == "ED25519"
          return key if key.private_to_der
        rescue OpenSSL::PKey::PKeyError, ArgumentError
          raise Settings::Error.new("#{VARIABLE} has no private key in PEM, or one with a password", hint: HINT)
        end

        # PEM as it has to be, where all of it was put into one line, as variables of some CI have to be.
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
        HINT = "spate cache key NAME makes one, in NAME.pem"
        OTHER = "`spate cache key NAME` put that into NAME.pem; what it printed is for `spate cache trust`"
        private_constant :LIMIT, :HINT, :OTHER

        # key: OpenSSL::PKey.
        def initialize(key)
          @key = key
        end

        def sign(text) = @key.sign(nil, text)
        def id = public_key("own").id
        def public_key(name) = PublicKey.new(name, @key.public_to_der.byteslice(-32, 32), 0)
        # PKCS #8, without a password.
        def to_pem = @key.private_to_pem
        def inspect = "#<#{self.class} #{id}>"
      end
    end
  end
end
