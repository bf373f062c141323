# frozen_string_literal: true

module Spate
  module Zlib
    # Writes a gzip file (RFC 1952) to an IO-like object that responds to `write`. `print`, `puts`, `printf` and `<<`
    # work as in IO.
    class GzipWriter < GzipFile
      # Small pieces are collected up to this many bytes, because a zlib call for each piece would be slower.
      GATHER = 8 * 1024
      private_constant :GATHER

      # Opens a file; see {GzipFile.wrap}.
      #
      # @param name [String] path
      # @param arguments [Array<Integer>] level and strategy
      # @param options [Hash{Symbol => Object}] as for `new`
      # @return [GzipWriter, Object] the block's value if there is one
      def self.open(name, *arguments, **options, &block) = open_file(name, "wb", arguments, options, &block)

      # @param io [#write]
      # @param level [Integer, nil] as for Deflate.new
      # @param strategy [Integer, nil] as for Deflate.new
      # @param options [Hash{Symbol => Object}] encodings, as for IO; written text is converted
      # @raise [StreamError] for an invalid level or strategy
      def initialize(io, level = nil, strategy = nil, **options)
        super()
        @level = level.nil? ? DEFAULT_COMPRESSION : integer(level)
        @strategy = strategy.nil? ? DEFAULT_STRATEGY : integer(strategy)
        raise StreamError, "stream error" unless @level.between?(-1, 9) && @strategy.between?(0, 4)

        @header = Header.new(level: @level)
        @mtime_given = @header_made = false
        @pending = "".b
        @crc = 0
        @lock = Mutex.new
        attach(io, options)
      end

      # Sets the header's time. The default is the time of the first write.
      #
      # @param time [Time, Integer] seconds since 1970; 0 for none
      # @raise [GzipFile::Error] once the header is written
      def mtime=(time)
        before_header
        seconds = Integer(time)
        unless seconds.between?(-0x8000_0000, 0xffff_ffff)
          raise RangeError, "integer #{seconds} too #{seconds < 0 ? "small" : "big"} to convert to `unsigned int'"
        end

        @header.mtime = seconds & 0xffff_ffff
        @mtime_given = true
      end

      # Sets the header's file name (RFC 1952, 2.3).
      #
      # @param name [String]
      # @raise [GzipFile::Error] once the header is written
      def orig_name=(name)
        before_header
        @header.orig_name = text(name)
      end

      # Sets the header's comment.
      #
      # @param comment [String]
      # @raise [GzipFile::Error] once the header is written
      def comment=(comment)
        before_header
        @header.comment = text(comment)
      end

      # Writes objects as text.
      #
      # @param strings [Array<String, Object>]
      # @return [Integer] the number of bytes written
      def write(*strings)
        check_open
        strings.sum { |string| write_one(string.is_a?(String) ? string : string.to_s) }
      end

      # Writes one byte.
      #
      # @param character [Integer, String] an Integer's lowest eight bits, or the first byte of a String
      # @return [Integer, String] its argument
      def putc(character)
        check_open
        byte = character.is_a?(String) ? character.byteslice(0) : [integer(character) & 0xff].pack("C")
        raise TypeError, "no implicit conversion from string to integer" if byte.nil? || byte.empty?

        write_one(byte)
        character
      end

      # Writes pending bytes and flushes the IO.
      #
      # @param mode [Integer, nil] SYNC_FLUSH (nil), NO_FLUSH, FULL_FLUSH or FINISH
      # @return [self]
      def flush(mode = nil)
        check_open
        mode ||= SYNC_FLUSH
        @lock.synchronize do
          bytes = deflate_pending
          bytes << stream.deflate("", mode) unless mode == NO_FLUSH
          put(bytes)
        end
        @io.flush if @io.respond_to?(:flush)
        self
      end

      # @return [Integer] uncompressed bytes written so far
      def pos
        check_open
        taken + @pending.bytesize
      end
      alias tell pos
      alias total_in pos

      # @return [Integer] compressed bytes written so far
      def total_out = opened { @stream&.total_out || 0 }

      # @return [Integer] CRC-32 of the uncompressed bytes written so far
      def crc
        check_open
        Zlib.crc32(@pending, @crc)
      end

      private

      def check_open
        raise GzipFile::Error, "closed gzip stream" unless @open
      end

      def before_header
        check_open
        raise GzipFile::Error, "header is already written" if @header_made
      end

      def text(string)
        raise TypeError, "no implicit conversion of #{string.class} into String" unless string.respond_to?(:to_str)

        String.new(string.to_str).b[/\A[^\0]*/n]
      end

      # May be called by several threads, as in Ruby's zlib library. Appending to @pending is a single step; everything
      # else is done under the lock.
      def write_one(string)
        string = @encodings.encode(string) if @encodings
        length = string.bytesize
        @lock.synchronize { make_header } unless @header_made
        if @sync || @pending.bytesize + length > GATHER
          @lock.synchronize { write_through(string) }
        else
          string = string.b unless string.encoding == Encoding::BINARY
          @pending << string
        end
        length
      end

      def write_through(string)
        bytes = deflate_pending
        @crc = Zlib.crc32(string, @crc)
        bytes << stream.deflate(string, @sync ? SYNC_FLUSH : NO_FLUSH)
        put(bytes)
      end

      def deflate_pending
        bytes = take_head
        return bytes if @pending.empty?

        pending = @pending
        @pending = "".b
        @crc = Zlib.crc32(pending, @crc)
        bytes << stream.deflate(pending)
      end

      # Must be called under the lock. Sets @header_made last, because other threads check it without the lock.
      def make_header
        return if @header_made

        @header.mtime = Time.now.to_i & 0xffff_ffff unless @mtime_given
        @head = @header.to_s
        @header_made = true
      end

      # Returns the header, or an empty String if it was already returned.
      def take_head
        make_header
        head = @head
        @head = nil
        head || "".b
      end

      def put(bytes)
        return if bytes.empty?

        @io.write(bytes)
        @io.flush if @sync && @io.respond_to?(:flush)
      end

      def finish_stream
        @lock.synchronize { @stream.nil? && @strategy == DEFAULT_STRATEGY ? finish_whole : finish_long }
      end

      def finish_long
        bytes = deflate_pending
        bytes << stream.deflate("", FINISH)
        put(bytes << [@crc, taken & 0xffff_ffff].pack("VV"))
      end

      # Compresses all content in one call. Creating a stream would be expensive, and is not needed while all content is
      # in memory.
      def finish_whole
        bytes = take_head
        bytes << Zlib.send(:deflate_member, @pending, @level)
        put(bytes << [Zlib.crc32(@pending), @pending.bytesize].pack("VV"))
      end

      def stream
        @stream ||= Deflate.new(@level, -MAX_WBITS, DEF_MEM_LEVEL, @strategy)
      end

      def taken = @stream&.total_in || 0
    end
  end
end
