# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # A PEM file (RFC 7468).
        class PEM
          CERTIFICATE = /\A(?:X509 |TRUSTED )?CERTIFICATE\z/
          KEY = /\A(?:[A-Z0-9]+ )*PRIVATE KEY\z/
          LABEL = /^-----BEGIN ([A-Z0-9 ]+)-----/n
          # Maximum size in bytes, larger than any certificate chain.
          BYTES = 1 << 20

          attr_reader :path, :text

          # Raises Error when the file cannot be read.
          def initialize(path)
            @path = path
            @text = File.open(path, "rb") { |file| file.read(BYTES) } || ""
          rescue SystemCallError => e
            raise Error.unreadable(path, e)
          end

          # Raises Error when no block has this label. what: the expected item, for the message.
          def expect(label, what)
            labels = @text.scan(LABEL).flatten
            raise Error.not_found(@path, what, labels) if labels.none?(label)
          end
        end
      end
    end
  end
end
