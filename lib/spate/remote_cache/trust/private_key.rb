# frozen_string_literal: true

module Spate
  module RemoteCache
    class Trust
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
