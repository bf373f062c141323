# frozen_string_literal: true

require "openssl"

module Spate
  module Server
    class Cache
      class Bucket
        # Blobs on their way from the bucket into the folder, each once, however many ask for it meanwhile. It goes on
        # where all of them have left: the next one finds it. On the reactor's thread.
        class Fetches
          # Bytes where the folder has no limit.
          MOST = 1 << 62

          # limit: bytes of a blob, or nil. came: called with the bytes of one that is in the folder now.
          def initialize(bucket, folder, limit, &came)
            @bucket = bucket
            @folder = folder
            @limit = limit || MOST
            @came = came
            @waiting = {}
          end

          # The block is called, in a turn of its request's connection, with whether the bucket had it, or with nil and
          # why not, as by Bucket.
          def fetch(request, name, &over)
            waiting = @waiting[name.key]
            return waiting.push([request, over]) if waiting

            @waiting[name.key] = [[request, over]]
            @bucket.perform(request, -> { take(name) }) { |size, fault| through(name, size, fault) }
          end

          private

          def through(name, size, fault)
            waiting = @waiting.delete(name.key)
            @came.call(size) if size
            waiting.each { |request, over| request.connection.post { over.call(size && true, fault) } }
          end

          # The bytes that came, nil where there is nothing. What is not as it is named does not stay.
          def take(name)
            digest = OpenSSL::Digest.new("SHA256")
            file = @folder.begin_file
            found = @bucket.pieces(name, @limit) { |bytes| digest << bytes && file.write(bytes) }
            return unless found
            raise Damaged, "the bucket has bytes with the SHA-256 #{digest}" unless digest.hexdigest == name.key

            file.size.tap do
              @folder.keep(file, name)
              file = nil
            end
          ensure
            @folder.drop(file) if file
          end
        end
      end
    end
  end
end
