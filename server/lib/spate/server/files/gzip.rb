# frozen_string_literal: true

require "spate/zlib"

module Spate
  module Server
    class Files
      # Compresses files on another thread while they are served (RFC 9110, section 8.4.1.3), and caches the result:
      # small files as a whole, larger ones in pieces.
      class Gzip
        autoload :Cache, "spate/server/files/gzip/cache"
        autoload :Coder, "spate/server/files/gzip/stream"
        autoload :Stream, "spate/server/files/gzip/stream"

        # Bytes. Files smaller than LEAST are not compressed, files up to WHOLE are compressed in one step, and files
        # above MOST (a default) are sent uncompressed.
        LEAST = 256
        WHOLE = 1 << 20
        MOST = 16 << 20
        LEVEL = 6

        def initialize(threads, most: MOST)
          @threads = threads
          @most = most
          @mutex = Mutex.new
          @waiting = {}.compare_by_identity
          @cache = Cache.new(threads)
        end

        # Whether the file is compressed for this request. Ranges refer to the uncompressed file.
        def wanted?(request, resource)
          resource.plain.size.between?(LEAST, @most) && request["range"].nil? && !@threads.busy?
        end

        # Returns a Response, or nil when the request is answered later. answer: a Responder, for conditions and cached
        # results. The block returns a Native::Found to read from.
        def call(request, resource, answer, &open)
          made = resource.gzipped ||= resource.plain.gzipped
          refused = answer.refusal(request, made)
          return refused if refused
          return answer.fulfilled(request, made) if made.content || request.head?
          return long(resource, made, &open) if resource.plain.size > WHOLE

          wait(request, made, resource, &open)
        end

        private

        def long(resource, made, &open)
          body = @cache.body(resource, &open) || Stream.new(open.call, @threads)
          fields = made.whole
          fields = fields.merge("content-length" => body.length.to_s) if body.length
          Response.new(200, fields, body)
        end

        # Lets concurrent requests for the same file share one result.
        def wait(request, made, resource)
          first = @mutex.synchronize do
            list = @waiting[made] ||= []
            list << request
            list.one?
          end
          return unless first

          source = resource.plain.content || yield
          @threads.post { tell(made, code(made, source)) }
          nil
        rescue StandardError
          @mutex.synchronize { @waiting.delete(made) }
          raise
        end

        # Compresses the content. Returns nil, or an error text.
        def code(made, source)
          content = source.is_a?(String) ? source : source.content(WHOLE)
          return "The file is being changed.\n" unless content

          # Clears the time in the header (RFC 1952, section 2.3.1), so that the same content always gives the same
          # bytes.
          made.content = Zlib.gzip(content, level: LEVEL).tap { |bytes| bytes[4, 4] = "\0\0\0\0" }.freeze
          nil
        rescue SystemCallError, Zlib::Error, NoMemoryError
          "The file cannot be read.\n"
        ensure
          source.close unless source.is_a?(String)
        end

        def tell(made, problem)
          requests = @mutex.synchronize { @waiting.delete(made) } || []
          requests.each do |request|
            request.answer(problem ? failed(problem) : Response.new(200, made.whole, made.content))
          end
        end

        def failed(problem) = Response.busy(problem)
      end
    end
  end
end
