# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      # Whether TLS is spoken, and with whose certificate.
      module TLSOptions
        # Sets values[:tls] (true), values[:cert] and values[:key] (paths); a certificate is wish enough for TLS.
        def self.add(parser, values)
          parser.separator "\nTLS:"
          parser.on("--tls", "speak TLS; without --cert with a certificate for localhost that is made and kept") do
            values[:tls] = true
          end
          parser.on("--cert FILE", "certificate in PEM, then those of its issuers; read again on SIGHUP") do |path|
            values.update(tls: true, cert: path)
          end
          parser.on("--key FILE", "its private key in PEM (default: in the certificate's file)") do |path|
            values.update(tls: true, key: path)
          end
        end
      end
    end
  end
end
