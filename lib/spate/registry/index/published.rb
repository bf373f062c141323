# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Since when remotes have published nothing: /versions grows with everything that a source publishes or yanks.
      # While its ETag stays the same, pages requested since it was first seen are still right. One byte is requested,
      # once per run and remote. Kept under <home>/index/<the remote's domain>/seal, whose time is when the ETag was
      # first seen.
      class Published
        # folder: "<home>/index"
        def initialize(http:, folder:)
          @http = http
          @folder = folder
          @remotes = {}
          @mutex = Mutex.new
        end

        # Time; nil if unknown. A thread that waits while another one asks shares its result, also a failure.
        def since(remote)
          one = @mutex.synchronize { @remotes[remote.domain] ||= One.new }
          one.once { ask(remote, CachedPage.new(File.join(@folder, remote.domain, "seal"))) }
        end

        private

        # An ETag that was not seen before is newer than what is kept.
        def ask(remote, seal)
          time = seal.time
          etag, = seal.read
          headers = { "Range" => "bytes=0-0", "If-None-Match" => etag }.compact
          @http.get(remote, "versions", headers: headers, accept: [200, 206, 304]) do |response|
            next time if response.code == "304"

            response["ETag"] ? seal.write(response["ETag"], "") : seal.remove
            response.read_body { |part| raise Unread if part.bytesize > 1 }
            nil
          end
        rescue Unread, HTTP::Status
          nil
        end

        # The remote ignores ranges: the connection ends with the rest unread.
        class Unread < StandardError
        end

        # Runs a block once for all threads, and again after a failure.
        class One
          def initialize
            @mutex = Mutex.new
            @tries = 0
          end

          def once
            tries = @tries
            @mutex.synchronize do
              raise @trouble if @trouble && @tries > tries

              @answer ||= attempt { [yield] }
            end.first
          end

          private

          def attempt
            @trouble = nil
            yield
          rescue Util::Retriable => e
            @tries += 1
            raise @trouble = e
          end
        end
        private_constant :Unread, :One
      end
    end
  end
end
