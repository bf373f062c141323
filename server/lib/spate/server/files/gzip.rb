# frozen_string_literal: true

require "spate/zlib"

module Spate
  module Server
    class Files
      # Gzip made of a file while it is served (RFC 9110, section 8.4.1.3), on another thread, and remembered: whole
      # where it is small, piece by piece where it is not.
      class Gzip
        autoload :Cache, "spate/server/files/gzip/cache"
        autoload :Coder, "spate/server/files/gzip/coder"
        autoload :Stream, "spate/server/files/gzip/stream"

        # Bytes: less is not worth it; up to here whole; more is sent as it is unless told otherwise.
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

        # Whether a file is to be coded for this request. Parts are parts of the file as it is.
        def wanted?(request, resource)
          resource.plain.size.between?(LEAST, @most) && request["range"].nil? && !@threads.busy?
        end

        # A Response, or nil: it is given to the request later. answer: a Responder, for conditions and what is there
        # already. Yields for a Native::Found to read from.
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

        # Those who ask for the same meanwhile wait for the same.
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

        # nil, or what went wrong.
        def code(made, source)
          content = source.is_a?(String) ? source : source.content(WHOLE)
          return "The file is being changed.\n" unless content

          # Without a time in the header (RFC 1952, section 2.3.1): the same content gives the same bytes.
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
