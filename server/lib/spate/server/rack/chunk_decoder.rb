# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Decodes a body that the application has encoded in chunks itself, because HTTP/2 has no chunks. Has the methods
      # of Response::Body::Queue.
      class ChunkDecoder
        # Maximum length of a chunk's size line in bytes.
        LINE = 4096

        # queue: a Response::Body::Queue.
        def initialize(queue)
          @queue = queue
          @state = :size
          @line = +"".b
        end

        # Adds encoded bytes, like the queue's method. Raises ArgumentError for an invalid chunk.
        def push(string)
          bytes = string.b
          at = 0
          at = send(@state, bytes, at) while at < bytes.bytesize
          self
        end

        def finish
          raise Response::Body::Truncated, "the last chunk is missing" unless @state == :rest

          @queue.finish
        end

        def fail(error) = @queue.fail(error)

        private

        def size(bytes, from)
          to = line(bytes, from)
          return to unless @line.end_with?("\n")

          digits = @line[/\A\h{1,15}(?=[\s;])/] or raise ArgumentError, "the body is not chunked"
          @line.clear
          @left = digits.hex
          @state = @left.zero? ? :rest : :content
          to
        end

        def content(bytes, from)
          count = [@left, bytes.bytesize - from].min
          @queue.push(bytes.byteslice(from, count))
          @left -= count
          @state = :ending if @left.zero?
          from + count
        end

        def ending(bytes, from)
          to = line(bytes, from)
          return to unless @line.end_with?("\n")
          raise ArgumentError, "a chunk exceeds its size" unless @line.strip.empty?

          @line.clear
          @state = :size
          to
        end

        # Drops the trailers.
        def rest(bytes, _from) = bytes.bytesize

        # Collects a line. Returns the offset of its end.
        def line(bytes, from)
          at = bytes.index("\n", from)
          to = at ? at + 1 : bytes.bytesize
          @line << bytes.byteslice(from, to - from)
          raise ArgumentError, "the body is not chunked" if @line.bytesize > LINE

          to
        end
      end
    end
  end
end
