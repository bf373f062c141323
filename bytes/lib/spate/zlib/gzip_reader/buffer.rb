# frozen_string_literal: true

module Spate
  module Zlib
    # The buffer of inflated bytes that were not read yet.
    #
    #   io ──► Source ──► Inflate ──► @buffer ──► strings
    #                                 |.........|############|
    #                                       @position      bytesize
    #                                     @summed: bytes before it are in the CRC, or were put back by ungetc
    class GzipReader
      # Number of bytes that are inflated at a time, unless more are requested.
      INFLATED = 256 * 1024
      private_constant :INFLATED

      private

      def finished? = @finished
      def buffered = @buffer.bytesize - @position

      def next_byte
        check_open
        more if buffered == 0
        shift(1).getbyte(0) unless at_end?
      end

      # Inflates until bytes are available or all input is read. wanted: approximate number of bytes. If a piece of
      # input expands to more, the rest of the piece is inflated later.
      def more(wanted = 0)
        until @finished
          inflate(next_piece(wanted), wanted)
          break if buffered > 0
        end
      end

      def fill(length)
        more(length - buffered) while wanting?(length)
      end

      def wanting?(length)
        buffered < length && !@finished
      end

      # Returns the next compressed bytes, or an empty String if the stream still has input.
      def next_piece(wanted)
        return EMPTY if waiting_in_stream > 0

        @source.piece(wanted > Source::LARGE_PIECE ? Source::LARGE_PIECE : Source::PIECE) ||
          raise(GzipFile::Error, "unexpected end of file")
      end

      def waiting_in_stream = @stream ? @stream.avail_in : 0

      def inflate(bytes, wanted = 0)
        @stream ||= Inflate.new(-MAX_WBITS, max_output: @max_output)
        output = @stream.send(:inflate_some, bytes, wanted > INFLATED ? wanted : INFLATED)
        if @stream.finished?
          @finished = true
          @source.unread(@stream.flush_next_in)
        end
        append(output)
      end

      def append(output)
        return if output.empty?

        @produced += output.bytesize
        if buffered == 0
          settle
          @buffer = output
          @summed -= @position
          @position = 0
        else
          drop_read if @position > 0
          @buffer = @buffer.dup if @buffer.frozen?
          @buffer << output
        end
      end

      def drop_read
        settle
        @buffer = @buffer.byteslice(@position..)
        @summed -= @position
        @position = 0
      end

      # Extends the CRC to @position.
      def settle
        return if @summed >= @position

        @crc = Zlib.crc32(@buffer.byteslice(@summed, @position - @summed), @crc)
        @summed = @position
      end

      def shift(length)
        bytes = @buffer.byteslice(@position, length)
        @position += length
        bytes
      end

      def unshift(bytes)
        settle
        @summed += bytes.bytesize - @position
        @buffer = bytes + @buffer.byteslice(@position..)
        @position = 0
        nil
      end
    end
  end
end
