# frozen_string_literal: true

module Spate
  module RemoteCache
    class Trust
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
    end
  end
end
