# frozen_string_literal: true

module Spate
  module Server
    class Connection
      class TLS < Transport
        # What the next connections begin with.
        class Settings
          # Native::TLSContext, for TLS.
          attr_reader :context

          # pair: a Pair or a SelfSigned. Error where it cannot be used.
          def initialize(pair, ktls: true)
            @pair = pair
            @ktls = ktls
            @secret = Random.urandom(32)
            reload
          end

          # Reads the files again. Connections that are open keep what they have, and so does all where the new files
          # cannot be used: then Error.
          def reload
            @context = @pair.context { |chain, key| Native::TLSContext.new(chain, key, @ktls, ticket_keys(chain, key)) }
            self
          end

          def self_signed? = @pair.self_signed?

          # Path of the certificate, which a client can be told to trust (`curl --cacert`), or nil where it is in
          # memory.
          def certificate = @pair.certificate

          private

          # What encrypts the tickets with which clients take up their sessions again. Workers that were forked from one
          # process have the same keys, also when each of them has read new files; old tickets are worth nothing then.
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
