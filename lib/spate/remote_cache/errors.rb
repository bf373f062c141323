# frozen_string_literal: true

module Spate
  module RemoteCache
    # A request to a cache failed. An install then continues without the cache.
    class Unavailable < Spate::Error
      EXIT_CODE = 6
      HINTS = {
        refused: "check that the cache runs, and the network and proxy settings (http_proxy, https_proxy, no_proxy)",
        slow: "the network or the cache is slow, or a firewall drops the packets",
        credentials: "check the user and password, or the keys, and their permissions",
        full: "free space there, or raise its size limit",
        read_only: "it is read-only; `spate install` still reads from it",
        answer: "a proxy or a sign-in page may have responded, or the address is not a cache's",
        tls: "set the authority that signed it: bundle config set ssl_ca_cert FILE, or SSL_CERT_FILE=FILE",
        closed: nil
      }.freeze

      # A key of HINTS. :refused: connecting failed. :answer: the response is invalid (truncated, an HTML page, too
      # long). :closed: after #close.
      attr_reader :reason

      # The maximum number of characters of a server's text in a message.
      LONGEST = 300
      private_constant :LONGEST

      # address: Address or String. fact: the rest of the message ("answers 500").
      def initialize(reason, address, fact, hint: HINTS.fetch(reason))
        @reason = reason
        fact = Registry::Archive.printable(fact)[0, LONGEST]
        super("the cache #{Util.redact(address)} #{Util.redact(fact)}", hint: hint)
      end
    end

    # The content in the cache is longer than the limit.
    class TooLong < Unavailable
      def initialize(address, fact, **hint) = super(:answer, address, fact, **hint)
    end

    # This kind of cache does not support the operation.
    class Unsupported < Spate::Error
      EXIT_CODE = 2
    end

    # The address of a cache is invalid.
    class InvalidAddress < Settings::Error
      HINT = "an address is https://HOST/PATH, s3://BUCKET/PREFIX or the absolute path of a folder: docs/team-cache.md"
      # Matches the user and password of an address without a scheme: the text before an @.
      USER = %r{\A(?!.*://).*@}
      # Temporarily replaces whitespace, at which Util.redact would stop, since a password may contain spaces.
      BLANK = "\u00a0"
      private_constant :USER, :BLANK

      def initialize(text, expected, hint: HINT)
        text = text.dup.force_encoding(Encoding::UTF_8).scrub
        shown = Util.redact(text.tr(" \t-\r", BLANK)).tr(BLANK, " ").sub(USER, "...@").inspect
        super("the cache's address #{shown} #{Util.redact(expected)}", hint: hint)
      end
    end

    # Data in a cache has an invalid format. This is treated as a miss and never fails an install.
    class Malformed < StandardError; end

    # A result must not be sent or used. The message is the reason.
    class Refused < StandardError; end
  end
end
