# frozen_string_literal: true

module Spate
  module Registry
    module Index
      # A page of an index, kept on disk. Its ETag comes first in the same file, so that both can only change together,
      # preceded by length and sum of the text: otherwise a page that a power loss cut off would be confirmed by its
      # source ("not modified") for ever.
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

        # The body of a response. most: its maximal size in bytes.
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

        # [etag or nil, text], or nil if nothing (readable) is kept.
        def read
          first, text = File.binread(@path).split("\n", 2)
          return unless text && first.start_with?(head(text))

          etag = first.delete_prefix(head(text))
          [etag.empty? ? nil : etag, text]
        rescue SystemCallError
          nil
        end

        # When it was last requested, nil if nothing is kept.
        def time
          File.mtime(@path)
        rescue SystemCallError
          nil
        end

        # It was requested at that time, and has not changed.
        def confirm(time)
          File.utime(time, time, @path)
        rescue SystemCallError
          nil # another user's: asked for again the next time
        end

        # time: of the request. A folder that cannot be written costs the next run a request, no more.
        def write(etag, text, time = Time.now)
          Util::Files.make_folder(File.dirname(@path), 0o755) # as the store's own
          Util::Files.replace(@path) do |fresh|
            File.binwrite(fresh, "#{head(text)}#{etag.to_s.delete("\r\n")}\n".b << text.b, perm: 0o644)
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

        def head(text) = "#{HEAD} #{text.bytesize} #{text.sum(32)} "
      end
    end
  end
end
