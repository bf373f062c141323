# frozen_string_literal: true

require "stringio"

module Spate
  module Server
    module Rack
      # env["rack.input"]: a request's body as it arrives. Reads on the application's thread wait for the client. If too
      # many bytes are unread, the client has to wait. Reads raise IOError when the client gave up.
      class Input
        autoload :Lines, "spate/server/rack/input/lines"
        autoload :Rewindable, "spate/server/rack/input/rewindable"

        include Lines

        # env["rack.input"] of a request without a body; shared by all of them.
        module Empty
          module_function

          # Returns what IO#read returns at the end.
          def read(length = nil, buffer = nil)
            buffer&.clear
            length.nil? || length.zero? ? buffer || +"" : nil
          end

          def readpartial(_length, _buffer = nil) = raise(EOFError, "end of file reached")

          # Checks the arguments like IO#gets.
          def gets(*arguments, chomp: false) = StringIO.new.gets(*arguments, chomp: chomp)

          def each(*arguments, chomp: false, &block)
            return to_enum(:each, *arguments, chomp: chomp) unless block

            StringIO.new.each(*arguments, chomp: chomp, &block)
            self
          end

          def rewind = 0
          def size = 0
          def close = nil
          def close_read = nil
          def trailers = {}
          def external_encoding = Encoding::BINARY
          def binmode = self
          def eof? = true
        end

        # Bytes per read from the buffered part.
        PART = 65_536

        # body: a Request::Body. buffered: an IO with the part of the body that is already buffered, or nil.
        def initialize(body, buffered = nil)
          @body = body
          @buffered = buffered
          @rest = +"".b
          @position = 0
        end

        # Like IO#read: returns the rest, or at most `length` bytes, fewer only at the end.
        def read(length = nil, buffer = nil)
          raise ArgumentError, "negative length #{length} given" if length&.negative?

          return read_some(length, buffer || +"") if length
          return read_all unless buffer

          buffer.replace(read_all)
        end

        # Returns the available bytes, at most `length`. Waits if no bytes are available. Raises EOFError at the end.
        def readpartial(length, buffer = nil)
          return buffer ? buffer.clear : +"" if length.zero?

          raise EOFError, "end of file reached" if left.zero? && !fill

          bytes = take([length, left].min)
          buffer ? buffer.replace(bytes) : bytes
        end

        # Yields parts as they arrive. This is the fastest way to read a large body.
        def each_part
          yield take(left) if left.positive?
          while (part = next_part)
            yield part
          end
        end

        # Whether a read would wait for the client.
        def waits? = left.zero? && !@closed && !@ended && (@buffered.nil? || @buffered.eof?) && !@body.ready?

        # Discards the rest of the body.
        def close
          return if @closed

          @closed = true
          @rest.clear
          @position = 0
          discard
          nil
        end
        alias close_read close

        # The trailers; {} until the body has been read completely.
        def trailers = @body.trailers || {}
        def external_encoding = Encoding::BINARY
        def binmode = self
        def eof? = left.zero? && !fill

        private

        def left = @rest.bytesize - @position

        def read_all
          parts = take(left)
          while (part = next_part)
            parts << part
            part.clear
          end
          parts
        end

        # Reuses the memory of `buffer`, and frees the memory of each part as soon as the part has been read.
        def read_some(length, buffer)
          count = 0
          while count < length && (left.positive? || fill)
            step = [length - count, left].min
            Native.copy(buffer, count, @rest, @position, step)
            count += step
            advance(step)
          end
          buffer.clear if count.zero?
          buffer.force_encoding(Encoding::BINARY)
          count.zero? && length.positive? ? nil : buffer
        end

        def advance(count)
          @position += count
          return if left.positive?

          @rest.clear
          @position = 0
        end

        def take(count)
          bytes = count == @rest.bytesize ? @rest : @rest.byteslice(@position, count)
          @position += count
          return bytes if @position < @rest.bytesize

          @rest = +"".b
          @position = 0
          bytes
        end

        # Appends the next part to the unread bytes. Returns false at the end.
        def fill
          part = next_part or return false
          if left.zero?
            @rest = part
          else
            @rest.slice!(0, @position)
            @rest << part
            part.clear # frees its bytes before the next garbage collection
          end
          @position = 0
          true
        end

        def next_part
          return if @closed || @ended

          part = @buffered&.read(PART)
          return part if part

          @buffered = nil
          part = @body.take
          @ended = part.nil?
          part
        end

        def discard = @body.connection.post { @body.discard }
      end
    end
  end
end
