# frozen_string_literal: true

module Spate
  module Server
    class Cache
      class Bucket
        # Blobs on their way from the bucket into the folder, each once, however many ask for it meanwhile. It goes on
        # where all of them have left: the next one finds it. On the reactor's thread.
        class Fetches
          # Who waits for one, [[request, whether part of it will do, block]]; its Growth, or nil.
          Way = Struct.new(:waiting, :growth)

          # limit: bytes of a blob, or nil. came: called with the bytes of one that is in the folder now.
          def initialize(bucket, folder, limit, &came)
            @bucket = bucket
            @folder = folder
            @limit = limit
            @came = came
            @ways = {}
          end

          # The block is called, in a turn of its request's connection, with whether the bucket had it, or with nil and
          # why not, as by Bucket; growing: with a Growth of it, too, as soon as there is one.
          def fetch(request, name, growing:, &over)
            way = @ways[name.key]
            return over.call(way.growth, nil) if growing && way&.growth
            return way.waiting << [request, growing, over] if way

            @ways[name.key] = Way.new([[request, growing, over]])
            download = Download.new(@bucket, @folder, name, @limit)
            begun = ->(growth) { request.connection.post { begun(name, growth) } }
            @bucket.fetch(request, -> { download.run(&begun) }) { |size, fault| through(request, name, size, fault) }
          end

          private

          def begun(name, growth)
            way = @ways[name.key]
            way.growth = growth
            now, way.waiting = way.waiting.partition { |_, growing, _| growing }
            tell(now, growth, nil)
          end

          # Whoever was told that it began may not have had his turn: the file is closed behind him.
          def through(request, name, size, fault)
            way = @ways.delete(name.key)
            @came.call(size) if size
            tell(way.waiting, size && true, fault)
            request.connection.post { way.growth&.close }
          end

          def tell(waiting, found, fault)
            waiting.each { |request, _, over| request.connection.post { over.call(found, fault) } }
          end
        end
      end
    end
  end
end
