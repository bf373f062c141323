# frozen_string_literal: true

module Spate
  module Server
    module HTTP1
      # Reads a request's chunked body (RFC 9112, section 7.1). Parses strictly, and limits chunk extensions and
      # trailers.
      class ChunkedBody
        TINY = Limits::TokenBucket::TINY
        TINY_COST = Limits::TokenBucket::TINY_COST
        # Maximum length of a chunk's size line in bytes, including extensions.
        LINE = 256
        SIZE = /\A(\h{1,15})(?:[ \t]*;[^\x00-\x08\x0a-\x1f\x7f]*)?\z/n
        BEGINNING = /\A\h{0,15}(?:[ \t]*(?:;[^\n]*)?)?\r?\z/n
        # Maximum bytes of all extensions of a body.
        EXTENSIONS = 16_384
        # Fields for framing, routing and authentication are not allowed as trailers (RFC 9110, section 6.5.1).
        NOT_LATE = %w[authorization content-encoding content-length content-range content-type cookie host expect
                      max-forwards range te trailer transfer-encoding].freeze

        # The trailers; nil until the body is complete.
        attr_reader :trailers

        # protocol: responds to `spent?` and `charge`.
        def initialize(limits, protocol)
          @limits = limits
          @protocol = protocol
          @state = :size
          @left = @extensions = 0
          @ending = HeadScanner.new("trailers")
        end

        # Returns nil, because the remaining length is unknown.
        def left = nil
        def done? = @state == :done

        # Like SizedBody#take. Raises BadRequest.
        def take(view, from, to)
          start = from
          content = +"".b
          until from == to || done? || (@state == :size && from > start && @protocol.spent?)
            count = send(@state, view, from, to, content)
            break if count.zero?

            from += count
          end
          yield content unless content.empty?
          from - start
        end

        private

        def size(view, from, to, _content)
          text = view.get_bytes(from, [to - from, LINE].min)
          at = text.index("\r\n")
          return wait(text) unless at

          match = SIZE.match(text.byteslice(0, at)) or raise(BadRequest, "malformed chunk size")
          @extensions += at - match[1].bytesize
          raise BadRequest, "more than #{EXTENSIONS} bytes of chunk extensions" if @extensions > EXTENSIONS

          @left = match[1].hex
          @protocol.charge("tiny chunks", TINY_COST) if @left.between?(1, TINY - 1)
          @state = @left.zero? ? :late : :content
          at + 2
        end

        # Called when the size line is incomplete. Rejects a line that cannot become valid.
        def wait(text)
          raise BadRequest, "a chunk's size is too long" if text.bytesize >= LINE
          raise BadRequest, "malformed chunk size" unless text.match?(BEGINNING)

          0
        end

        def content(view, from, to, content)
          count = [to - from, @left].min
          part = view.get_bytes(from, count)
          content << part
          part.clear
          @left -= count
          @state = :line_end if @left.zero?
          count
        end

        def line_end(view, from, to, _content)
          return 0 if to - from < 2 && view.get_bytes(from, 1) == "\r"
          raise BadRequest, "a chunk exceeds its size" if view.get_bytes(from, [to - from, 2].min) != "\r\n"

          @state = :size
          2
        end

        # Reads trailer fields up to an empty line (section 7.1.2).
        def late(view, from, to, _content)
          return finish("", 2) if view.get_bytes(from, [to - from, 2].min) == "\r\n"

          at = @ending.find(view, from, to, @limits.header_bytes) or return 0
          finish(view.get_bytes(from, at + 2), at + 4)
        end

        def finish(text, count)
          fields = Request.gather(Fields.parse(text, @limits.header_fields))
          NOT_LATE.each { |name| fields.delete(name) }
          @trailers = fields
          @state = :done
          count
        end
      end

      # A request's body with a content-length (RFC 9112, section 6.2).
      class SizedBody
        # Bytes that are still to come.
        attr_reader :left

        def initialize(length)
          @left = length
        end

        # Consumes bytes between two offsets of a DataView. Yields the content if there is any. Returns the number of
        # consumed bytes.
        def take(view, from, to)
          count = to - from
          count = @left if count > @left
          @left -= count
          yield view.get_bytes(from, count) if count.positive?
          count
        end

        def done? = @left.zero?
        def trailers = {}
      end
    end
  end
end
