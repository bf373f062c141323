# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # A cache whose entries are in a bucket: its folder has copies of blobs, and may be lost. All nodes over one
      # bucket answer the same. What is there, and since when, is the bucket's to say each time; a blob that lies in the
      # folder is sent without asking, as its name says what is in it.
      class BucketNode < Cache
        # Seconds, as of who pushes; loaded here, before anybody asks.
        YOUNG = RemoteCache::Push::YOUNG
        # Bytes of a document that its answers hold in memory.
        SMALL = 64 << 10
        # Digits of a key, as the bucket's other clients know them.
        DIGITS = 64
        # Who says one of these has an answer that a whole file is needed for.
        CONDITIONS = %w[range if-match if-none-match if-modified-since if-unmodified-since].freeze
        # Seconds after which who asked in vain may do so again.
        LATER = { "retry-after" => "10" }.freeze

        # bucket: what Bucket.client answers. The others are a Cache's.
        def initialize(root, bucket:, **options)
          super(root, **options)
          @bucket = Bucket.new(bucket, @metrics)
          @fetches = Bucket::Fetches.new(@bucket, @folder, @limit) { |bytes| @collector.stored(bytes) }
          @bucket.greet { |error| @log&.call("the bucket does not help: #{error.message}") }
        end

        # now: seconds of the monotonic clock.
        def tick(now = Process.clock_gettime(Process::CLOCK_MONOTONIC))
          @bucket.tick(now)
          super()
        end

        def close
          @bucket.close
          super
        end

        private

        def entry?(name) = super && name.key.bytesize == DIGITS

        def read(request, name)
          return look(request, name) if request.head?
          return document(request, name) unless name.blob?

          response = in_folder(request, name)
          return counted(request, response) unless response.status == 404

          fetch(request, name)
          nil
        end

        def fetch(request, name)
          over = told(request, name.file) do |found|
            counted(request, found.is_a?(Bucket::Growth) ? growing(found) : in_folder(request, name))
          end
          @fetches.fetch(request, name, growing: CONDITIONS.none? { |field| request[field] }, &over)
        end

        def growing(growth)
          whole(growth.length, growth.body)
        rescue SystemCallError
          Response.busy("The server is at its limits.\n")
        end

        def look(request, name)
          @bucket.facts(request, name, &told(request, name.file) do |size, time|
            compare(name, size)
            size ? described(size, time) : missing
          end)
          nil
        end

        # A copy of another length is what a power failure left.
        def compare(name, size)
          there = @folder.size(name) if size && name.blob?
          @folder.remove(name) if there && there != size
        end

        def document(request, name)
          @bucket.get(request, name, @document, method(:sendable), &told(request, name.file) do |document|
            counted(request, document || missing)
          end)
          nil
        end

        # Of a document, which nobody may read for a while: what is large is on the disk meanwhile.
        def sendable(bytes)
          large = bytes.bytesize > SMALL
          whole(bytes.bytesize, large ? Response::Body::FileRange.new(@folder.aside(bytes)) : bytes)
        end

        def described(size, time)
          Response.new(200, { "content-length" => size.to_s,
                              "last-modified" => time && Response::HTTPDate.of(time) }.compact)
        end

        def whole(length, body)
          Response.new(200, { "content-type" => "application/octet-stream", "content-length" => length.to_s }, body)
        end

        # What is there and young need not be sent: nobody who collects by age takes it before its document is there.
        def decide(request, name)
          @bucket.facts(request, name) do |facts, fault|
            size, time = facts
            next refuse_upload(request, name, *fault) if fault

            compare(name, size)
            young = time && time > Time.now - YOUNG
            young && there?(request, size) ? spare(request, name) : store(request, name)
          rescue StandardError
            @uploads.over(name.key)
            raise
          end
        end

        def refuse_upload(request, name, *fault)
          fail_with(request, name, *fault)
          @uploads.over(name.key)
        end

        # The bucket first: in the folder is nothing that it lacks.
        def keep(request, file, name, &over)
          unless_present(request, name, over) do
            @bucket.put(request, name, file.path) do |_, fault|
              next over.call(fault) if fault
              next super(request, file, name, &over) if name.blob?

              @folder.drop(file)
              over.call
            rescue SystemCallError => e
              over.call([*Upload.failure(e), e])
            end
          end
        end

        # As far as the bucket tells: of several at once it may take each.
        def unless_present(request, name, over)
          return yield unless fresh?(request, name)

          @bucket.facts(request, name) do |facts, fault|
            fault ||= PRESENT if facts
            fault ? over.call(fault) : yield
          end
        end

        # Copies of other nodes stay: they are as good as ever, and listed nowhere.
        def delete(request, name)
          @bucket.delete(request, name, &told(request, name.file) do
            super
            empty(204)
          end)
          nil
        end

        # The answer begins with the first part: a bucket that cannot be asked is no empty one.
        def list(request, kind)
          parts = Response::Body::Queue.new
          @bucket.list(request, -> { bring(request, kind, parts) }) do |_, fault|
            next unless fault

            parts.fail(fault.last)
            request.answer(failed("#{kind}/", *fault))
          end
          nil
        end

        # On a thread of the bucket's, which waits where the client does not take it.
        def bring(request, kind, parts)
          Listing.new(@bucket, kind).each_with_index do |part, index|
            parts.push(part)
            request.answer(listed(request, parts)) if index.zero?
            break if request.head?
          end
          parts.finish
          true
        rescue Response::Body::Queue::Disconnected
          true
        end

        # What becomes of the bucket's answer; the block makes a Response of it.
        def told(request, what)
          proc { |answer, fault| request.answer(fault ? failed(what, *fault) : yield(answer)) }
        end

        def failed(what, status, text, error = nil)
          @log&.call("#{what} cannot be had from the bucket: #{Error.reason(error)}") if error
          Response.text(status, "#{text}\n", LATER)
        end
      end
    end
  end
end
