# frozen_string_literal: true

module Spate
  module Zlib
    class GzipReader
      # Reads compressed bytes from an IO-like object, and keeps bytes that were read ahead.
      class Source
        # Bytes per read. LARGE_PIECE is used when much content is requested.
        PIECE = 16 * 1024
        LARGE_PIECE = 1024 * 1024
        ZERO = "\0".b.freeze
        private_constant :ZERO

        # Bytes that were read but not used; nil if there are none.
        attr_reader :waiting

        def initialize(io)
          @io = io
          @partial = io.respond_to?(:readpartial)
        end

        # Returns the waiting bytes if there are any, else the next bytes of the IO, or nil at its end.
        def piece(length = PIECE)
          return read(length) unless @waiting

          waiting = @waiting
          @waiting = nil
          waiting
        end

        def unread(bytes)
          @waiting = bytes unless bytes.empty?
        end

        def forget
          @waiting = nil
        end

        # Reads until this many bytes are waiting. Returns false if the IO ends earlier.
        def wait_for(length)
          while @waiting.nil? || @waiting.bytesize < length
            bytes = read(PIECE)
            return false unless bytes

            @waiting = @waiting ? @waiting + bytes : bytes unless bytes.empty?
          end
          true
        end

        def need(length)
          raise GzipFile::Error, "unexpected end of file" unless wait_for(length)
        end

        def peek(length) = @waiting.byteslice(0, length)

        def skip(length)
          rest = @waiting.byteslice(length..)
          @waiting = rest.empty? ? nil : rest
        end

        def take_until_zero
          searched = 0
          need(1)
          until (zero = @waiting.index(ZERO, searched))
            searched = @waiting.bytesize
            need(searched + 1)
          end
          text = peek(zero)
          skip(zero + 1)
          text
        end

        # Reads to the end of a file or StringIO if the rest is at most `limit` bytes. Returns whether it did.
        def slurp(limit)
          return false unless seekable?

          left = @io.size - @io.pos
          return false if left > limit

          bytes = @io.read(left) if left > 0
          @waiting = @waiting ? @waiting + bytes : bytes if bytes && !bytes.empty?
          true
        end

        private

        # Whether the IO is a regular file or a StringIO. Pipes and sockets may stay open long after the end of the
        # member.
        def seekable?
          @io.is_a?(File) ? @io.stat.file? : defined?(StringIO) && @io.instance_of?(StringIO)
        end

        def read(length)
          bytes = @partial ? @io.readpartial(length) : @io.read(length)
          return if bytes.nil?
          raise TypeError, "wrong argument type #{bytes.class} (expected String)" unless bytes.is_a?(String)

          bytes.encoding == Encoding::BINARY ? bytes : bytes.b
        rescue EOFError
          nil
        end
      end
    end
  end
end
