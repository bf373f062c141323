# frozen_string_literal: true

module Spate
  module Zlib
    # What was inflated and not read yet.
    #
    #   io ──► Source ──► Inflate ──► @buffer ──► strings
    #                                 |.........|############|
    #                                       @position      bytesize
    #                                     @summed: bytes before it are in the CRC, or were put back by ungetc
    class GzipReader
      private

      def finished? = @finished
      def buffered = @buffer.bytesize - @position

      def next_byte
        check_open
        more if buffered == 0
        shift(1).getbyte(0) unless at_end?
      end

      # Until something is there or all is read.
      def more(length = Source::PIECE)
        until @finished
          bytes = @source.piece(length)
          raise GzipFile::Error, "unexpected end of file" unless bytes

          inflate(bytes)
          break if buffered > 0
        end
      end

      def fill(length)
        more(length - buffered > Source::LARGE_PIECE ? Source::LARGE_PIECE : Source::PIECE) while wanting?(length)
      end

      def wanting?(length)
        buffered < length && !@finished
      end

      def inflate(bytes)
        return if bytes.empty?

        @stream ||= Inflate.new(-MAX_WBITS, max_output: @max_output)
        taken = @stream.total_in
        output = @stream.inflate(bytes)
        if @stream.finished?
          @finished = true
          @source.unread(bytes.byteslice((@stream.total_in - taken)..))
          @stream.flush_next_out
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
          compact if @position > 0
          @buffer = @buffer.dup if @buffer.frozen?
          @buffer << output
        end
      end

      def compact
        settle
        @buffer = @buffer.byteslice(@position..)
        @summed -= @position
        @position = 0
      end

      # Brings the CRC to @position.
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
