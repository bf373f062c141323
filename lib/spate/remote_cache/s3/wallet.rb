# frozen_string_literal: true

module Spate
  module RemoteCache
    class S3
      # The credentials of one cache, found when they are first needed and again before they end.
      class Wallet
        # Seconds: what is about to end is renewed while it still serves.
        MARGIN = 300
        private_constant :MARGIN

        def initialize(address, providers)
          @address = address
          @providers = providers
          @known = false
          @refusals = 0
          @mutex = Mutex.new
        end

        # Credentials, or nil where there are none: then nothing is signed. Raises Unavailable; who waited while another
        # was refused is refused, too.
        def keys
          before = @refusals
          @mutex.synchronize do
            raise @refusal if @refusals != before

            renew unless @known && (@keys.nil? || @keys.serve?(MARGIN))
            @keys
          end
        end

        # Asks for others, as the server takes these no more; another thread may have done so.
        def forget(keys)
          @mutex.synchronize { @known = false if @keys.equal?(keys) }
          true
        end

        private

        def renew
          @keys = @providers.find
          @known = true
        rescue Unavailable => e
          return if @keys&.serve?

          fact = e.message.delete_prefix("the cache #{@address} ").delete_prefix("the cache ")
          @refusals += 1
          raise @refusal = Unavailable.new(e.reason, @address, "has no credentials: #{fact}", hint: e.hint)
        end
      end
    end
  end
end
