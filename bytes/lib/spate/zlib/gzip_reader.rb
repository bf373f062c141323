# frozen_string_literal: true

module Spate
  module Zlib
    # Reads a gzip file (RFC 1952) from an IO-like object: one member; `unused` is what was read beyond it.
    class GzipReader < GzipFile
      include Enumerable

      FOOTER_LENGTH = 8
      # Files up to this compressed length are read as a whole by `read`, which is quicker than a stream.
      WHOLE_LIMIT = 16 * 1024 * 1024
      EMPTY = "".b.freeze
      # The most that is inflated at once when everything is wanted.
      ALL = 1 << 30
      private_constant :FOOTER_LENGTH, :WHOLE_LIMIT, :EMPTY, :ALL

      # See GzipFile.wrap.
      def self.open(name, **options, &block) = open_file(name, "rb", [], options, &block)

      # The content of all members of a file; with a block nil, and the block gets their lines.
      def self.zcat(io, **options, &block)
        content = "".b
        loop do
          reader = new(io, **options)
          block ? reader.each(&block) : content << reader.read
          reader.read
          unused = reader.unused
          reader.finish
          io.pos -= unused.bytesize if unused
          break if io.pos >= io.size
        end
        block ? nil : content
      end

      # io: needs readpartial or read. max_output: bytes; more raises OutputLimitError. Others: see GzipFile::Encodings.
      def initialize(io, max_output: nil, **options)
        super()
        @max_output = max_output
        @source = Source.new(io)
        @header = Header.read(@source)
        @level = @header.level
        attach(io, options)
        start
      rescue StandardError
        @open = false
        raise
      end

      # Without a length the rest, in external_encoding; with one at most that many bytes, nil at the end.
      # buffer: a String that receives them and is returned.
      def read(length = nil, buffer = nil)
        check_open
        no_string(buffer) unless buffer.nil? || buffer.is_a?(String)
        bytes = length.nil? ? read_all : read_bytes(not_negative(length))
        return bytes unless buffer

        buffer.replace(bytes || EMPTY)
        bytes && buffer
      end

      # At least one byte and at most `length`; EOFError at the end.
      def readpartial(length, buffer = nil)
        check_open
        length = not_negative(length)
        no_string(buffer) unless buffer.nil? || buffer.is_a?(String)
        return buffer ? buffer.clear : "".b if length == 0

        more if buffered == 0
        if at_end?
          buffer&.clear
          raise EOFError, "end of file reached"
        end
        bytes = shift([length, buffered].min)
        buffer ? buffer.replace(bytes) : bytes
      end

      # Puts bytes back; a String is converted to the file's encoding.
      def ungetc(text)
        return ungetbyte(text) if text.is_a?(Integer)

        check_open
        text = String.try_convert(text) || raise_no_string(text)
        unshift((@encodings ? @encodings.encode(text) : text).b)
      end

      # Puts a byte back (an Integer, or the first of a String).
      def ungetbyte(byte)
        check_open
        unshift(byte.is_a?(String) ? byte.byteslice(0).b : [byte].pack("C"))
      end

      # Back to where the content begins. The IO needs `seek`.
      def rewind
        check_open
        back = taken + @footer.to_i + (@source.waiting&.bytesize || 0) + waiting_in_stream
        @io.seek(-back, IO::SEEK_CUR)
        @source.forget
        @stream&.reset
        @encodings&.rewind
        start
        0
      end

      # Bytes that were read beyond the end of the member; nil if there are none or the end was not reached.
      def unused
        return if closed?
        return unless finished? && buffered == 0

        check_footer
        @source.waiting&.dup
      end

      # The position in the content, in bytes; what ungetc put back counts negative.
      def pos
        check_open
        @produced - buffered
      end
      alias tell pos

      # Whether everything was read; if nothing is buffered, the IO is read, as Ruby's own does since 3.2.
      def eof?
        check_open
        more if buffered == 0
        finished? && buffered == 0
      end
      alias eof eof?

      # CRC-32 of what was read so far.
      def crc
        check_open
        settle
        @crc
      end

      # In bytes: compressed input used, content returned; and the Encoding of what is read as text.
      def total_in = opened { taken }
      def total_out = pos
      def external_encoding = opened { @encoding }

      private

      def start
        @buffer = EMPTY
        @position = @summed = 0
        @crc = 0
        @produced = 0
        @taken_ahead = 0
        @finished = false
        @footer = nil # how many bytes of it were taken, once it was looked at
        @lineno = 0
      end

      # Bytes of the deflate stream.
      def taken = @taken_ahead + (@stream&.total_in || 0)

      def check_open
        raise GzipFile::Error, "closed gzip stream" unless @open
      end

      def not_negative(length)
        length = integer(length)
        raise ArgumentError, "negative length #{length} given" if length < 0

        length
      end

      def no_string(object)
        raise TypeError, "wrong argument type #{object.class} (expected String)"
      end

      # Whether nothing is left; the footer has been checked then.
      def at_end?
        return false unless @finished && @position >= @buffer.bytesize

        check_footer
        true
      end

      def read_bytes(length)
        return "".b if length == 0

        fill(length)
        return if at_end?

        shift([length, buffered].min)
      end

      def read_all
        whole = read_whole if @produced == 0 && !@finished && buffered == 0
        return whole if whole

        more_of_all until @finished
        return "".b if at_end?

        decode(take_all)
      end

      def more_of_all = inflate(next_piece(ALL), ALL)

      def take_all
        return shift(buffered) if @position > 0

        settle
        bytes = @buffer.frozen? ? @buffer.dup : @buffer
        @position = bytes.bytesize
        settle
        @buffer = EMPTY
        @summed -= @position
        @position = 0
        bytes
      end

      # Everything at once if it is all there; if something is wrong with it, the stream will raise.
      def read_whole
        return unless taken == 0 && @source.slurp(WHOLE_LIMIT) && @source.waiting

        output, taken, crc = Zlib.send(:inflate_member, @source.waiting, @max_output)
        return unless output

        @source.skip(taken + FOOTER_LENGTH)
        @taken_ahead = taken
        @finished = true
        @footer = FOOTER_LENGTH
        @produced = output.bytesize
        @crc = crc
        output.empty? ? output : decode(output)
      end

      def decode(bytes)
        @encodings ? @encodings.decode(bytes) : bytes.force_encoding(@encoding)
      end

      def check_footer
        return if @footer

        @footer = 0
        settle
        raise NoFooter.new("footer is not found", @source.waiting) unless @source.wait_for(FOOTER_LENGTH)

        crc, length = @source.peek(FOOTER_LENGTH).unpack("VV")
        @source.skip(FOOTER_LENGTH)
        @footer = FOOTER_LENGTH
        raise CRCError, "invalid compressed data -- crc error" if crc != @crc
        raise LengthError, "invalid compressed data -- length error" if length != (@produced & 0xffff_ffff)
      end

      def finish_stream
        check_footer if @finished && buffered == 0
      end
    end
  end
end

require "spate/zlib/gzip_reader/buffer"
