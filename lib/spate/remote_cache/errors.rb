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
        read_only: "nothing can be put there; `spate install` reads from it all the same",
        answer: "a proxy or a sign-in page may have answered, or the address is not that of a cache",
        tls: "name the authority that signed it: bundle config set ssl_ca_cert FILE, or SSL_CERT_FILE=FILE",
        closed: nil
      }.freeze

      # One of HINTS' keys. :refused is whatever makes a connection end or never begin; :answer an answer that is none
      # (half of one, a page, too long a one); :closed after #close.
      attr_reader :reason

      # Of what a server said, on somebody's terminal.
      LONGEST = 300
      private_constant :LONGEST

      # address: Address, or text; fact: what follows it ("answers 500").
      def initialize(reason, address, fact, hint: HINTS.fetch(reason))
        @reason = reason
        fact = Registry::Archive.printable(fact)[0, LONGEST]
        super("the cache #{Ground.redact(address)} #{Ground.redact(fact)}", hint: hint)
      end
    end

    # It has more bytes there than are taken.
    class TooLong < Unavailable
      def initialize(address, fact, **hint) = super(:answer, address, fact, **hint)
    end

    # What this kind of cache cannot do at all.
    class Unsupported < Spate::Error
      EXIT_CODE = 2
    end

    # Where a cache should be, and what is no such place.
    class InvalidAddress < Settings::Error
      HINT = "an address is https://HOST/PATH, s3://BUCKET/PREFIX or the absolute path of a folder: docs/team-cache.md"
      # Without a scheme, a user and password are what is before an @.
      USER = %r{\A(?!.*://).*@}
      # In place of what may be in a password, and ends what is redacted in a sentence.
      BLANK = "\u00a0"
      private_constant :USER, :BLANK

      def initialize(text, expected, hint: HINT)
        text = text.dup.force_encoding(Encoding::UTF_8).scrub
        shown = Ground.redact(text.tr(" \t-\r", BLANK)).tr(BLANK, " ").sub(USER, "...@").inspect
        super("the cache's address #{shown} #{Ground.redact(expected)}", hint: hint)
      end
    end

    # Bytes that are not what their format says. A miss, never the end of an install.
    class Malformed < StandardError; end

    # What must not be sent, or taken; the message says why.
    class Refused < StandardError; end
  end
end
