# frozen_string_literal: true

module Spate
  module RemoteCache
    # Included by each transport: reads into memory or a file, by the transport's `read(name, limit) { |bytes| }`, which
    # answers whether there is something.
    #
    #   Requests   requests of HTTP and S3, as an answer or Unavailable
    #   Answer     an answer within limits
    module Transport
      autoload :Answer, "spate/remote_cache/transport/answer"
      autoload :Requests, "spate/remote_cache/transport/requests"

      # Bytes at a time, of files.
      CHUNK = 256 * 1024

      # When anything came last (monotonic seconds), nil before that. While some of it is put away that is now: a disk
      # that takes its time is not the cache's silence.
      def answered_at = keepers.empty? ? @answered_at : Util.now

      # Opens a connection for who asks next, where there are connections.
      def connect = nil

      def get(name, limit:)
        text = String.new(encoding: Encoding::BINARY)
        text if hear(name, limit) { |bytes| text << bytes }
      end

      # Raises Store::Error where the disk of `to` does not take it.
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

      # Threads that put away what came.
      def keepers = @keepers ||= {}.compare_by_identity

      def create(path) = File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o644)

      # Tells errors of this disk from those of the cache's: both are SystemCallErrors.
      def on_disk(path)
        yield
      rescue SystemCallError => e
        raise Store::Error.for(e, path)
      end
    end
  end
end
