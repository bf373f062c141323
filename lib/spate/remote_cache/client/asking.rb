# frozen_string_literal: true

module Spate
  module RemoteCache
    class Client
      # An install's requests for builds.
      class Asking
        # builds: Builds.
        def initialize(client, builds, layout:, store:)
          @client = client
          @builds = builds
          @layout = layout
          @store = store
          @paths = Thread::Queue.new # of blobs that were begun
        end

        # Builds::Offer that fits here, or nil. key: the build key. checkout: the name of the folder that git
        # checked the gem out into, or nil. Yields before what came is looked at.
        def choose(key, full_name, checkout = nil)
          document = @client.document(key) or return
          yield
          places = checkout ? Pack::Places.checkout(@layout, full_name, checkout) : Pack::Places.of(@layout, full_name)
          answer = @builds.choose(document, key, places)
          answer.is_a?(Builds::Offer) ? answer : @client.miss(answer)
        rescue Malformed => e
          @client.malformed(e)
        end

        # Path of the offer's blob, which is the caller's to remove, or nil.
        def fetch(offer)
          @paths << path = @store.temporary("blob")
          path if @client.build(offer.blob, offer.bytes, to: path)
        end

        # Build::Cache::Entry, now in the store. Raises Refused, Store::Error.
        def accept(offer, path)
          @builds.accept(offer, path).tap do
            @client.count(:builds)
            @client.count(:seconds, offer.entry.seconds.to_f)
          end
        end

        # When anything came from the cache last (monotonic seconds), or nil.
        def answered_at = @client.answered_at

        def trouble(error) = @client.trouble(error)

        # Ends all requests.
        def close = @client.close

        # Removes what is left of transfers.
        def clean = (Util::Files.remove(@paths.pop) until @paths.empty?)
      end
    end
  end
end
