# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Since when remotes have published nothing: /versions grows with whatever a source publishes or takes back. While
      # its ETag stays, pages that were asked for since it was first seen are still right. One byte is asked for, once a
      # run and remote. Kept under <home>/index/<the remote's domain>/seal, whose time is when the ETag was first seen.
      class Published
        # folder: "<home>/index"
        def initialize(exchange:, folder:)
          @exchange = exchange
          @folder = folder
          @remotes = {}
          @mutex = Mutex.new
        end

        # Time; nil where nobody can tell. Whoever waits while another thread asks shares what that comes to, trouble
        # too.
        def since(remote)
          one = @mutex.synchronize { @remotes[remote.domain] ||= One.new }
          one.once { ask(remote, CachedPage.new(File.join(@folder, remote.domain, "seal"))) }
        end

        private

        # What is kept is older than an ETag that was not seen before.
        def ask(remote, seal)
          time = seal.time
          etag, = seal.read
          headers = { "Range" => "bytes=0-0", "If-None-Match" => etag }.compact
          @exchange.get(remote, "versions", headers: headers, accept: [200, 206, 304]) do |response|
            next time if response.code == "304"

            response["ETag"] ? seal.write(response["ETag"], "") : seal.remove
            response.read_body { |part| raise Unread if part.bytesize > 1 }
            nil
          end
        rescue Unread, Status
          nil
        end

        # The remote ignores ranges: the connection ends with the rest.
        class Unread < StandardError
        end

        # What is asked once for all threads; asked again after trouble.
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
          rescue Ground::Retriable => e
            @tries += 1
            raise @trouble = e
          end
        end
        private_constant :Unread, :One
      end
    end
  end
end
