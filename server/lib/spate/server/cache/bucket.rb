# frozen_string_literal: true

module Spate
  module Server
    class Cache
      # What is behind a node: an S3 bucket, asked on threads of its own, as a reactor must not wait. Its client is the
      # gem spate's, which is loaded here and nowhere else.
      class Bucket
        autoload :Download, "spate/server/cache/bucket/download"
        autoload :Fetches, "spate/server/cache/bucket/fetches"
        autoload :Growth, "spate/server/cache/bucket/growth"

        # Its bytes have another digest than their name.
        Damaged = Class.new(StandardError)

        # Each of three pools: what is small need not wait for blobs, nor anybody for lists, which wait for clients.
        THREADS = 8
        # Questions that may wait for a thread, and seconds for which one may.
        MOST = 256
        PATIENCE = 10
        # Seconds: to connect, of silence, and of one answer in all, which has so many bytes a second at least.
        CONNECT = 2
        READ = 10
        LONGEST = 300
        SLOWEST = 8 << 10
        BUSY = [503, "Too many wait for the bucket."].freeze
        # By an Unavailable's reason; 502 for any other.
        STATUSES = { slow: 504, full: 507 }.freeze
        # Who waits for a thread: seconds of the monotonic clock until when, his connection, the block for the answer.
        Waiting = Struct.new(:due, :connection, :over)
        # Of what is listed: what a File::Stat has of a file.
        Status = Struct.new(:size, :mtime) # rubocop:disable Lint/StructNewOverride -- as File::Stat calls it

        # The client of a bucket (RemoteCache::S3) by its address, s3://NAME/PREFIX. It sends nothing yet. Error.
        def self.client(text, env:)
          require "spate"
          raise LoadError, "found #{Spate::VERSION}" unless Spate::VERSION == VERSION

          address = RemoteCache::Address.parse(text)
          raise Error.new("#{address} is no bucket", hint: "s3://NAME/PREFIX") unless address.kind == :s3

          pace = Registry::HTTP::Meter::Pace.new(SLOWEST, LONGEST)
          RemoteCache.transport(address, env: env, connect: CONNECT, read: READ, pace: pace)
        rescue LoadError => e
          raise Error.new("a bucket needs the gem spate #{VERSION}: #{e.message}", hint: "gem install spate")
        rescue Spate::Error => e
          raise Error.new(e.message, hint: e.hint)
        end

        # metrics: Monitoring::Metrics.
        def initialize(client, metrics)
          @client = client
          @metrics = metrics
          @small, @blobs, @lists = Array.new(3) { Files::ThreadPool.new(THREADS, most: MOST) }
          @waiting = {}.compare_by_identity
        end

        # Asks for what nobody has, and yields on a thread why that could not be: who starts a node is told, and
        # everything is loaded when a client asks.
        def greet
          @small.post do
            _, fault = answer { @client.head("cas/#{"0" * 64}") }
            yield fault.last if fault
          end
        end

        # All of these answer at once. The block is called later, on the reactor's thread, with what is told here, or
        # with nil and why not: status, text and error (or none), as Upload has it. request: of who asks.

        # [bytes, Time or nil], nil where there is nothing.
        def facts(request, name, &over) = ask(request, @small, -> { @client.facts(name.file) }, &over)

        # What `made` makes of its bytes, on a thread; nil where there is nothing.
        def get(request, name, limit, made, &over)
          work = lambda do
            bytes = @client.get(name.file, limit: limit) or next
            received(bytes.bytesize)
            made.call(bytes)
          end
          ask(request, @small, work, &over)
        end

        # true. path: of a file that is its content.
        def put(request, name, path, &over)
          work = lambda do
            File.open(path, "rb") do |file|
              @client.put(name.file, file)
              @metrics.add(:bucket_sent, file.size)
            end
            true
          end
          ask(request, name.blob? ? @blobs : @small, work, &over)
        end

        # true, also where there was nothing.
        def delete(request, name, &over) = ask(request, @small, -> { @client.delete(name.file) }, &over)

        # What the work answers, which is called on a thread for blobs, or one for lists, and may use the two below.
        def fetch(request, work, &over) = ask(request, @blobs, work, &over)
        def list(request, work, &over) = ask(request, @lists, work, &over)

        # Yields the bytes of a name as they come, and how many there are in all, or nil; true, or nil where there is
        # nothing. Unavailable.
        def pieces(name, limit)
          @client.pieces(name.file, limit: limit) do |bytes, length|
            received(bytes.bytesize)
            yield bytes, length
          end
        end

        # As Folder has them, page by page. Unavailable.
        def entries(kind)
          @client.each("#{kind}/").lazy.map do |name, size, time|
            [Name.new(kind, name.delete_prefix("#{kind}/")), Status.new(size, time)]
          end
        end

        # On the reactor's thread, now and then: whom no thread took in time is told so. now: of the monotonic clock.
        def tick(now)
          late = @waiting.keys.take_while { |one| one.due < now }
          late.each { |one| tell(one, nil, refused) if @waiting.delete(one) }
        end

        # Ends what is under way.
        def close
          @client.close
          [@small, @blobs, @lists].each(&:close)
        end

        def to_s = @client.to_s
        def inspect = "#<#{self.class}>"

        private

        def received(bytes) = @metrics.add(:bucket_received, bytes)

        def ask(request, threads, work, &over)
          return over.call(nil, refused) if threads.busy?

          one = Waiting.new(now + PATIENCE, request.connection, over)
          @waiting[one] = true
          threads.post { tell(one, *answer(&work)) if @waiting.delete(one) }
        end

        def tell(one, *answer) = one.connection.post { one.over.call(*answer) }

        def answer
          result = yield
          @metrics.add(result ? :bucket_found : :bucket_missing)
          [result, nil]
        rescue *Reactor::FAULTS => e
          @metrics.add(:bucket_failed)
          [nil, fault(e)]
        end

        def fault(error)
          case error
          when RemoteCache::Unavailable then [STATUSES.fetch(error.reason, 502), "The bucket does not help.", error]
          when Damaged then [502, "The bucket has other bytes there.", error]
          when SystemCallError then [*Upload.failure(error), error]
          else [500, "The server failed.", error]
          end
        end

        def refused
          @metrics.add(:bucket_refused)
          BUSY
        end

        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      end
    end
  end
end
