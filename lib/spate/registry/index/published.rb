# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # Finds out since when a remote has published nothing. /versions changes when a source publishes or yanks a gem.
      # As long as its ETag is the same, pages requested after this ETag was first seen are still valid. Requests one
      # byte, once per run and remote. The ETag is stored in <home>/index/<the remote's domain>/seal, and the file's
      # mtime is the time when it was first seen.
      class Published
        # folder: "<home>/index"
        def initialize(http:, folder:)
          @http = http
          @folder = folder
          @remotes = {}
          @mutex = Mutex.new
        end

        # Returns a Time, or nil if unknown. A thread that waits for another thread's request shares its result or
        # failure.
        def since(remote)
          one = @mutex.synchronize { @remotes[remote.domain] ||= One.new }
          one.once { ask(remote, CachedPage.new(File.join(@folder, remote.domain, "seal"))) }
        end

        private

        # Requests the ETag. If it has changed, all cached pages are older, so there is no valid time.
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

        # Raised if the remote ignores ranges, to close the connection without reading the rest.
        class Unread < StandardError
        end

        # Runs a block once and shares its result between threads. If it fails, waiting threads get the same error, and
        # a later call runs the block again.
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
