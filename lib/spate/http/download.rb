# frozen_string_literal: true

module Spate
  module HTTP
    # Downloads a file to disk. The file gets its final name only when it is complete.
    class Download
      # Archives are already compressed. Responses of sources that compress them again are also accepted.
      HEADERS = { "Accept-Encoding" => "identity" }.freeze

      # limit: maximum size of a file in bytes.
      def initialize(http, retries, limit:)
        @http = http
        @retries = retries
        @limit = limit
      end

      # Fetches a path of the remote and yields the temporary file's path, its size in bytes and the response (nil for a
      # folder), so that the block can check the file. Then renames the file to `to` and returns the block's result.
      # After an exception, the temporary file is removed.
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

      # Writes the body to the file and returns its size. The limit is also checked here, because a compressed body or a
      # body without Content-Length may have any size. If such a body is truncated, only some versions of net/http
      # raise.
      def write(response, part, uri, expected)
        got = 0
        file = on_disk(part) { File.open(part, "wb", 0o644) }
        response.read_body do |chunk|
          on_disk(part) { file.write(chunk) }
          got += chunk.bytesize
          raise TooLarge.new(uri, @limit) if got > @limit

          chunk.clear # frees the memory without waiting for the garbage collector
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

      # Converts errors of the disk, because errors of the network are SystemCallErrors too.
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
