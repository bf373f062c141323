# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # env["rack.input"] of a body that is still arriving. Has the reading methods of StringIO, but cannot be rewound.
      # Reads on the application's thread wait for the client. If too many bytes are unread, the client has to wait.
      # Reads raise IOError when the client has disconnected.
      class Input
        autoload :Characters, "spate/server/rack/input/characters"
        autoload :Lines, "spate/server/rack/input/lines"
        autoload :Memory, "spate/server/rack/input/memory"
        autoload :Rewindable, "spate/server/rack/input/rewindable"
        autoload :TemporaryFile, "spate/server/rack/input/temporary_file"
        autoload :Trailers, "spate/server/rack/input/memory"

        include Enumerable
        include Lines
        include Characters

        # Bytes per read from the buffered part.
        PART = 65_536

        # body: a Request::Body. buffered: an IO with the part of the body that is already buffered, or nil.
        def initialize(body, buffered = nil)
          @body = body
          @buffered = buffered
          @rest = String.new
          @position = @pos = @lineno = 0
        end

        # The number of bytes that have been read.
        attr_reader :pos
        alias tell pos

        # Like IO#read: returns the rest, or at most `length` bytes, fewer only at the end.
        def read(length = nil, buffer = nil)
          length = Lines.convert(Integer, length)
          buffer = Lines.convert(String, buffer)
          raise ArgumentError, "negative length #{length} given" if length&.negative?

          check
          return read_some(length, buffer || String.new) if length

          all = read_all.force_encoding(external_encoding)
          buffer ? buffer.replace(all) : all
        end

        # Returns the available bytes, at most `length`. Waits if no bytes are available. Raises EOFError at the end.
        def readpartial(length, buffer = nil)
          length = Lines.convert(Integer, length) || raise(TypeError, "no implicit conversion from nil to integer")
          buffer = Lines.convert(String, buffer)
          raise ArgumentError, "negative length #{length} given" if length.negative?

          check
          return buffer ? buffer.clear : String.new if length.zero?

          available? or raise EOFError, "end of file reached"
          bytes = take([length, left].min)
          buffer ? buffer.replace(bytes) : bytes
        end
        alias sysread readpartial

        # Like IO#read_nonblock: returns available bytes, :wait_readable, or nil at the end, or raises an error.
        def read_nonblock(length, buffer = nil, exception: true)
          return exception ? raise(IO::EAGAINWaitReadable, "read would block") : :wait_readable if waits?

          readpartial(length, buffer)
        rescue EOFError
          raise if exception
        end

        # Yields parts as they arrive. This is the fastest way to read a large body.
        def each_part
          yield take(left) if left.positive?
          while (part = next_part)
            yield part
          end
        end

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

        def closed? = @closed || false
        def eof? = check && !available?
        alias eof eof?

        # The trailers; {} until the body has been read completely.
        def trailers = @body.trailers || {}

        private

        def check = @closed ? raise(IOError, "not opened for reading") : true
        def left = @rest.bytesize - @position
        def available? = left.positive? || fill

        # Whether a read would wait for the client.
        def waits? = left.zero? && !@closed && !@ended && (@buffered.nil? || @buffered.eof?) && !@body.ready?

        def read_all
          parts = take(left)
          while (part = next_part)
            @pos += part.bytesize
            parts << part
            part.clear
          end
          parts
        end

        # Reuses the memory of `buffer`, and frees the memory of each part as soon as the part has been read.
        def read_some(length, buffer)
          count = 0
          while count < length && available?
            step = [length - count, left].min
            Native.copy(buffer, count, @rest, @position, step)
            count += step
            advance(step)
          end
          return buffer.force_encoding(Encoding::BINARY) if count.positive?

          buffer.clear
          length.zero? ? buffer : nil
        end

        def advance(count)
          @position += count
          @pos += count
          return if left.positive?

          @rest.clear
          @position = 0
        end

        def take(count)
          bytes = count == @rest.bytesize ? @rest : @rest.byteslice(@position, count)
          @position += count
          @pos += count
          return bytes if @position < @rest.bytesize

          @rest = String.new
          @position = 0
          bytes
        end

        # Pushes bytes back in front of the unread ones.
        def put_back(bytes)
          @rest = bytes.b << @rest.byteslice(@position..)
          @position = 0
          @pos = [@pos - bytes.bytesize, 0].max
          nil
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
