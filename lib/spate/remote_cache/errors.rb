# frozen_string_literal: true

module Spate
  module RemoteCache
    # A cache did not do what it was asked to. Its callers go on without: it costs time, and never an install.
    class Unavailable < Spate::Error
      EXIT_CODE = 6
      HINTS = {
        refused: "check that the cache runs, and the network and proxy settings (http_proxy, https_proxy, no_proxy)",
        slow: "the network or the cache is slow, or a firewall drops what is sent there",
        credentials: "check the user and password, or the keys, and what they allow",
        full: "make room there, or raise the size that it takes",
        read_only: "it is read-only; `spate install` still reads from it",
        answer: "a proxy or a sign-in page may have answered, or the address is not that of a cache",
        tls: "name the authority that signed it: bundle config set ssl_ca_cert FILE, or SSL_CERT_FILE=FILE",
        closed: nil
      }.freeze

      # One of HINTS' keys. :refused: the connection failed or was not made; :answer: the answer cannot be used
      # (incomplete, a page, too long); :closed: after #close.
      attr_reader :reason

      # Characters of a server's text on a terminal.
      LONGEST = 300
      private_constant :LONGEST

      # address: Address, or text; fact: what follows it ("answers 500").
      def initialize(reason, address, fact, hint: HINTS.fetch(reason))
        @reason = reason
        fact = Registry::Archive.printable(fact)[0, LONGEST]
        super("the cache #{Util.redact(address)} #{Util.redact(fact)}", hint: hint)
      end
    end

    # It has more bytes there than are taken.
    class TooLong < Unavailable
      def initialize(address, fact, **hint) = super(:answer, address, fact, **hint)
    end

    # This kind of cache does not have that operation.
    class Unsupported < Spate::Error
      EXIT_CODE = 2
    end

    # The address of a cache is invalid.
    class InvalidAddress < Settings::Error
      HINT = "an address is https://HOST/PATH, s3://BUCKET/PREFIX or the absolute path of a folder: docs/team-cache.md"
      # Without a scheme, a user and password are what is before an @.
      USER = %r{\A(?!.*://).*@}
      # In place of what may be in a password, and ends what is redacted in a sentence.
      BLANK = "\u00a0"
      private_constant :USER, :BLANK

      def initialize(text, expected, hint: HINT)
        text = text.dup.force_encoding(Encoding::UTF_8).scrub
        shown = Util.redact(text.tr(" \t-\r", BLANK)).tr(BLANK, " ").sub(USER, "...@").inspect
        super("the cache's address #{shown} #{Util.redact(expected)}", hint: hint)
      end
    end

    # Bytes that are not what their format says. A miss, never the end of an install.
    class Malformed < StandardError; end

    # A result must not be sent, or used; the message says why.
    class Refused < StandardError; end
  end
end
