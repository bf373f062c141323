# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # Raised when a certificate or a key cannot be used.
        class Error < Server::Error
          # what: the missing item, such as "a certificate". labels: the labels of the PEM blocks that the file has
          # instead.
          def self.not_found(path, what, labels)
            found = labels.empty? ? "nothing in PEM" : "#{labels.uniq.join(", ")} only"
            new("#{path}: #{what} was expected, it has #{found}", hint: PEM_HINT)
          end

          def self.unreadable(path, error)
            new("#{path} cannot be read: #{reason(error)}", hint: "check the path, and who may read the file")
          end

          def self.unusable(path, what, reason)
            new("#{path}: #{what} that can be used was expected, found one of which libssl says: #{reason}",
                hint: (PASSPHRASE_HINT if reason.include?("passphrase")))
          end

          def self.mismatch(cert, key)
            new("#{key}: the key of #{cert} was expected, found another one's",
                hint: "the server's certificate comes first in its file; those of its issuers follow")
          end

          def self.not_valid(path, from, till)
            new("#{path}: a certificate that is valid now was expected, found one from #{day(from)} to #{day(till)}",
                hint: "renew it, or check the clock")
          end

          def self.day(seconds) = Time.at(seconds).utc.strftime("%Y-%m-%d %H:%M UTC")
          private_class_method :day

          PEM_HINT = "PEM begins with -----BEGIN; `openssl x509 -inform DER` or `openssl pkey -inform DER` makes it"
          PASSPHRASE_HINT = "`openssl pkey -in FILE -out OTHER` takes the passphrase off"
        end
      end
    end
  end
end
