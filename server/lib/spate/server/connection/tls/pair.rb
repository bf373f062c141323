# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # A certificate and its key in the user's files.
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
      end
    end
  end
end
