# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # A page of an index, cached on disk. The ETag is in the same file, so that both are replaced atomically. The
      # first line also has the length and checksum of the text: a page truncated by a power loss would otherwise never
      # be fetched again, since the source would respond with 304 Not Modified.
      #
      #   spate-index 2 4711 93063 "6f5902ac237024bdd0c176cb93063dc4"
      #   ---
      #   1.0 |checksum:...
      class CachedPage
        HEAD = "spate-index 2"

        attr_reader :path

        def initialize(path)
          @path = path
        end

        # Reads the body of a response. most: the maximum size in bytes.
        def self.receive(response, uri, most)
          text = String.new(encoding: Encoding::BINARY)
          response.read_body do |chunk|
            text << chunk
            raise NotAnIndex.new(uri, "over #{most} bytes") if text.bytesize > most
          end
          text
        rescue Zlib::Error
          raise HTTP::Truncated.new(uri, nil, text.bytesize)
        end

        # [ETag or nil, text], or nil if there is no valid cached page.
        def read
          first, text = File.binread(@path).split("\n", 2)
          return unless text && first.start_with?(head_of(text))

          etag = first.delete_prefix(head_of(text))
          [etag.empty? ? nil : etag, text]
        rescue SystemCallError
          nil
        end

        # [ETag or nil, length of the text in bytes], or nil if nothing is cached. Does not check the checksum.
        def head
          first, size = File.open(@path, "rb") { |file| [file.gets("\n", 4096).to_s, file.size] }
          match = /\A#{HEAD} (\d+) \d+ (.*)\n\z/n.match(first)
          return unless match && size == match.end(0) + match[1].to_i

          [(match[2] unless match[2].empty?), match[1].to_i]
        rescue SystemCallError
          nil
        end

        # The length of the text in bytes, or nil.
        def size = head&.last

        # A part of the text. Does not check the checksum.
        def bytes(from, length = nil)
          total = size.to_i
          length = [length || total, total - from].min
          return "".b unless length.positive?

          File.binread(@path, length, File.size(@path) - total + from)
        end

        # The time of the last request, or nil if nothing is cached.
        def time
          File.mtime(@path)
        rescue SystemCallError
          nil
        end

        # Records that the page was requested at this time and has not changed.
        def confirm(time)
          File.utime(time, time, @path)
        rescue SystemCallError
          nil # owned by another user: the next run requests it again
        end

        # time: the time of the request. Ignores errors: without the file, the next run only needs another request.
        def write(etag, text, time = Time.now)
          Util::Files.make_folder(File.dirname(@path), 0o755) # like the store's own folders
          Util::Files.replace(@path) do |fresh|
            File.binwrite(fresh, "#{head_of(text)}#{etag.to_s.delete("\r\n")}\n".b << text.b, perm: 0o644)
            File.utime(time, time, fresh)
          end
        rescue SystemCallError
          nil
        end

        def remove
          File.unlink(@path)
        rescue SystemCallError
          nil
        end

        private

        def head_of(text) = "#{HEAD} #{text.bytesize} #{text.sum(32)} "
      end
    end
  end
end
