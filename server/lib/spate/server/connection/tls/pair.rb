# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # A certificate and its key, read from files.
        class Pair
          attr_reader :certificate

          # certificate, key: paths. One file may contain both.
          def initialize(certificate, key)
            @certificate = certificate
            @key = key
          end

          def self_signed? = false

          # Yields the current contents of the files and returns the context that the block creates. Raises Error.
          def context
            chain = PEM.new(@certificate)
            chain.expect(PEM::CERTIFICATE, "a certificate")
            key = PEM.new(@key)
            key.expect(PEM::KEY, "a private key")
            check_time(yield(chain.text, key.text))
          rescue Native::TLSContext::BadCertificate => e
            raise Error.unusable(@certificate, "a certificate", e.message)
          rescue Native::TLSContext::BadKey => e
            raise Error.unusable(@key, "a private key", e.message)
          rescue Native::TLSContext::Mismatch
            raise Error.mismatch(@certificate, @key)
          end

          private

          # Rejects an expired or not yet valid certificate at the start, because clients would reject it.
          def check_time(context)
            from, till = context.not_before, context.not_after
            return context if from && till && Time.now.to_i.between?(from, till)

            raise Error.not_valid(@certificate, from || 0, till || 0)
          end
        end

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

          # Raises Error unless a PEM block has this label. what: describes the expected block in the message, such as
          # "a private key".
          def expect(label, what)
            labels = @text.scan(LABEL).flatten
            raise Error.not_found(@path, what, labels) if labels.none?(label)
          end
        end

        # Raised when a certificate or a key cannot be used.
        class Error < Server::Error
          # what: the missing item, such as "a certificate". labels: the labels of the PEM blocks in the file.
          def self.not_found(path, what, labels)
            found = labels.empty? ? "nothing in PEM" : "#{labels.uniq.join(", ")} only"
            new("#{path}: expected #{what}, found #{found}", hint: PEM_HINT)
          end

          def self.unreadable(path, error)
            new("#{path} cannot be read: #{reason(error)}", hint: "check the path and the file's permissions")
          end

          def self.unusable(path, what, reason)
            new("#{path}: expected a usable #{what.sub(/\Aan? /, "")}; libssl reports: #{reason}",
                hint: (PASSPHRASE_HINT if reason.include?("passphrase")))
          end

          def self.mismatch(cert, key)
            new("#{key} does not belong to the certificate in #{cert}",
                hint: "the server's certificate comes first in its file; those of its issuers follow")
          end

          def self.not_valid(path, from, till)
            new("#{path}: the certificate is only valid from #{day(from)} to #{day(till)}",
                hint: "renew it, or check the clock")
          end

          def self.day(seconds) = Time.at(seconds).utc.strftime("%Y-%m-%d %H:%M UTC")
          private_class_method :day

          PEM_HINT = "PEM begins with -----BEGIN; convert DER with `openssl x509 -inform DER` or " \
                     "`openssl pkey -inform DER`"
          PASSPHRASE_HINT = "remove the passphrase: openssl pkey -in FILE -out OTHER"
        end
      end
    end
  end
end
