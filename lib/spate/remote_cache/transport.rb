# frozen_string_literal: true

module Spate
  module RemoteCache
    # Included by each transport. Reads into memory or a file with the transport's `read(name, limit) { |bytes| }`,
    # which returns whether the name exists.
    #
    #   Requests   requests of HTTP and S3: yields a response or raises Unavailable
    #   Answer     the body of a response within limits
    module Transport
      autoload :Answer, "spate/remote_cache/transport/answer"
      autoload :Requests, "spate/remote_cache/transport/requests"

      # Bytes read from a file at a time.
      CHUNK = 256 * 1024

      # When data was last received (monotonic seconds); nil if none was. While received data is being written it is the
      # current time: a slow disk must not count as a silent cache.
      def answered_at = keepers.empty? ? @answered_at : Util.now

      # Opens a connection for the next request, if the transport has connections.
      def connect = nil

      def get(name, limit:)
        text = String.new(encoding: Encoding::BINARY)
        text if hear(name, limit) { |bytes| text << bytes }
      end

      # Raises Store::Error if `to` cannot be written.
      def fetch(name, to:, limit:)
        part = "#{Util::Files.beside(to)}.part"
        written = 0
        file = nil
        found = hear(name, limit) do |bytes|
          written += on_disk(to) { (file ||= create(part)).write(bytes) }
        end
        return unless found

        keep do
          on_disk(to) do
            (file ||= create(part)).close
            File.rename(part, to)
          end
        end
        written
      ensure
        file&.close
        Util::Files.remove(part) if file
      end

      private

      def hear(name, limit)
        found = read(RemoteCache.name(name), limit) { |bytes| keep { yield bytes } }
        @answered_at = Util.now
        found
      end

      def keep
        keepers[Thread.current] = true
        yield
      ensure
        keepers.delete(Thread.current)
        @answered_at = Util.now
      end

      # Threads that are writing received data.
      def keepers = @keepers ||= {}.compare_by_identity

      def create(path) = File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o644)

      # Distinguishes errors of the local disk from those of the cache: both are SystemCallErrors.
      def on_disk(path)
        yield
      rescue SystemCallError => e
        raise Store::Error.for(e, path)
      end
    end
  end
end
