# frozen_string_literal: true

module Spate
  module HTTP
    # Saves a file of a remote to disk. The file appears under its name only when it is complete.
    class Download
      # Archives are already compressed. A source that compresses them nevertheless is supported.
      HEADERS = { "Accept-Encoding" => "identity" }.freeze

      # limit: maximum size of a file in bytes.
      def initialize(http, retries, limit:)
        @http = http
        @retries = retries
        @limit = limit
      end

      # Fetches a path of the remote, yields the temporary file's path, its size in bytes and the response's headers
      # (nil for a folder) so that the block can check the file, then renames it to `to`. If anything raises, no file is
      # left. Returns the block's result.
      def save(remote, path, to:)
        part = "#{Util::Files.beside(to)}.part"
        bytes, head = @retries.run { remote.file? ? copy(remote, path, part) : receive(remote, path, part) }
        result = yield part, bytes, head
        on_disk(to) { File.rename(part, to) }
        result
      ensure
        discard(part)
      end

      private

      def receive(remote, path, part)
        @http.get(remote, path, headers: HEADERS) do |response|
          encoded = response["Content-Encoding"]
          response.decode_content = true if encoded
          expected = encoded ? nil : response.content_length
          raise TooLarge.new(remote.locate(path), @limit, announced: expected) if expected && expected > @limit

          got = write(response, part, remote.locate(path), expected)
          raise Truncated.new(remote.locate(path), expected, got) if expected && got < expected

          [got, response]
        end
      rescue Zlib::Error
        raise Truncated.new(remote.locate(path), nil, File.size?(part) || 0)
      end

      # A compressed body, or one without an announced length, may have any length. If such a body ends early, only some
      # versions of net/http raise.
      def write(response, part, uri, expected)
        got = 0
        file = on_disk(part) { File.open(part, "wb", 0o644) }
        response.read_body do |chunk|
          on_disk(part) { file.write(chunk) }
          got += chunk.bytesize
          raise TooLarge.new(uri, @limit) if got > @limit

          chunk.clear # otherwise all chunks wait for the garbage collector
        end
        on_disk(part) { file.close }
        got
      rescue EOFError
        raise Truncated.new(uri, expected, got)
      ensure
        file&.close
      end

      def copy(remote, path, part)
        source = remote.path(path)
        raise Status::Missing.new(remote.locate(path), 404, "no such file") unless File.file?(source)

        size = File.size(source)
        raise TooLarge.new(remote.locate(path), @limit, announced: size) if size > @limit

        on_disk(part) { IO.copy_stream(source, part) }
      end

      # Distinguishes errors of the disk from those of the network: both are SystemCallErrors.
      def on_disk(path)
        yield
      rescue SystemCallError => e
        raise Store::Error.for(e, path)
      end

      def discard(part)
        File.unlink(part) if part
      rescue SystemCallError
        nil # the file was renamed or never created
      end
    end
  end
end
