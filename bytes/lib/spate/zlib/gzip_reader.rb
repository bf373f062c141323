# frozen_string_literal: true

module Spate
  module Zlib
    # Reads one member of a gzip file (RFC 1952) from an IO-like object. `unused` returns the bytes read beyond the
    # member.
    class GzipReader < GzipFile
      include Enumerable

      FOOTER_LENGTH = 8
      # `read` inflates files up to this compressed length as a whole, which is faster than a stream.
      WHOLE_LIMIT = 16 * 1024 * 1024
      EMPTY = "".b.freeze
      # Maximum bytes that are inflated at a time when all content is requested.
      ALL = 1 << 30
      private_constant :FOOTER_LENGTH, :WHOLE_LIMIT, :EMPTY, :ALL

      # Opens a file; see {GzipFile.wrap}.
      #
      # @param name [String] path
      # @param options [Hash{Symbol => Object}] as for `new`
      # @return [GzipReader, Object] the block's value if there is one
      def self.open(name, **options, &block) = open_file(name, "rb", [], options, &block)

      # Reads all members of a file.
      #
      # @param io [IO, StringIO]
      # @param options [Hash{Symbol => Object}] as for `new`
      # @yieldparam line [String]
      # @return [String, nil] the content; nil with a block
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

      # @param io [#readpartial, #read]
      # @param max_output [Integer, nil] maximum bytes of content; more raises OutputLimitError
      # @param options [Hash{Symbol => Object}] encodings, as for IO
      # @raise [GzipFile::Error] if the gzip header is missing
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

      # Reads the rest, in external_encoding, or at most a number of bytes.
      #
      # @param length [Integer, nil] maximum number of bytes; nil for the rest
      # @param buffer [String, nil] receives the bytes and is returned
      # @return [String, nil] nil at the end of the file if a length is given
      # @raise [GzipFile::Error] if the file is damaged
      def read(length = nil, buffer = nil)
        check_open
        no_string(buffer) unless buffer.nil? || buffer.is_a?(String)
        bytes = length.nil? ? read_all : read_bytes(not_negative(length))
        return bytes unless buffer

        buffer.replace(bytes || EMPTY)
        bytes && buffer
      end

      # Reads at least one byte.
      #
      # @param length [Integer] maximum number of bytes
      # @param buffer [String, nil] receives the bytes and is returned
      # @return [String]
      # @raise [EOFError] at the end
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

      # Puts bytes back, so that the next read returns them.
      #
      # @param text [String, Integer] a String is converted to the file's encoding
      # @return [nil]
      def ungetc(text)
        return ungetbyte(text) if text.is_a?(Integer)

        check_open
        text = String.try_convert(text) || raise_no_string(text)
        unshift((@encodings ? @encodings.encode(text) : text).b)
      end

      # Puts a byte back, so that the next read returns it.
      #
      # @param byte [Integer, String] an Integer, or a String whose first byte is used
      # @return [nil]
      def ungetbyte(byte)
        check_open
        unshift(byte.is_a?(String) ? byte.byteslice(0).b : [byte].pack("C"))
      end

      # Moves to the start of the content. The IO must respond to `seek`.
      #
      # @return [Integer] 0
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

      # @return [String, nil] bytes read beyond the end of the member; nil if there are none or the end was not reached
      def unused
        return if closed?
        return unless finished? && buffered == 0

        check_footer
        @source.waiting&.dup
      end

      # @return [Integer] the position in the content, in bytes, reduced by bytes put back by ungetc
      def pos
        check_open
        @produced - buffered
      end
      alias tell pos

      # Whether all content was read. If nothing is buffered, reads from the IO, as Ruby's zlib library does since 3.2.
      #
      # @return [Boolean]
      def eof?
        check_open
        more if buffered == 0
        finished? && buffered == 0
      end
      alias eof eof?

      # @return [Integer] CRC-32 of the content read so far
      def crc
        check_open
        settle
        @crc
      end

      # @return [Integer] bytes of compressed input used
      def total_in = opened { taken }
      # @return [Integer] bytes of content returned
      def total_out = pos
      # @return [Encoding] the encoding of text that is read
      def external_encoding = opened { @encoding }

      private

      def start
        @buffer = EMPTY
        @position = @summed = 0
        @crc = 0
        @produced = 0
        @taken_ahead = 0
        @finished = false
        @footer = nil # consumed bytes of the footer; nil until it is checked
        @lineno = 0
      end

      # Number of consumed bytes of the deflate stream.
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

      # Whether no content is left. In that case, checks the footer.
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

      # Inflates everything at once if all input is available. Returns nil if that fails; the stream then raises the
      # error.
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
