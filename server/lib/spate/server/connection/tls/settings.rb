# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # The TLS settings of new connections.
        class Settings
          # The Native::TLSContext for new connections.
          attr_reader :context

          # pair: a Pair or a SelfSigned. Raises Error when the certificate cannot be used.
          def initialize(pair, ktls: true)
            @pair = pair
            @ktls = ktls
            @secret = Random.urandom(32)
            reload
          end

          # Reads the files again. Open connections keep their certificate. If the new files cannot be used, nothing
          # changes and Error is raised.
          def reload
            @context = @pair.context { |chain, key| Native::TLSContext.new(chain, key, @ktls, ticket_keys(chain, key)) }
            self
          end

          def self_signed? = @pair.self_signed?

          # Path of the certificate for clients that have to trust it (`curl --cacert`), or nil if it is only in memory.
          def certificate = @pair.certificate

          private

          # Returns the keys that encrypt session tickets. Workers forked from one process have the same keys, even
          # after each of them has read new files. New files make old tickets invalid.
          def ticket_keys(chain, key)
            require "digest"
            first = Digest::SHA512.digest(@secret + chain + key)
            first + Digest::SHA512.digest(@secret + first).byteslice(0,
                                                                     Native::TLSContext::TICKET_KEYS - first.bytesize)
          end
        end
      end
    end
  end
end
