# frozen_string_literal: true

module Spate
  module Zlib
    class GzipFile
      # The header of a gzip file. RFC 1952, section 2.3:
      #
      #   +---+---+---+---+---+---+---+---+---+---+
      #   | 1f| 8b| CM|FLG|     MTIME     |XFL| OS| [extra] [original name, 0] [comment, 0]
      #   +---+---+---+---+---+---+---+---+---+---+
      class Header
        LENGTH = 10
        MAGIC = "\x1f\x8b".b.freeze
        # The start of most files: deflate without flags.
        PLAIN = "\x1f\x8b\x08\x00".b.freeze
        DEFLATE = 8
        HEADER_CHECKSUM = 0x02
        EXTRA = 0x04
        ORIG_NAME = 0x08
        COMMENT = 0x10
        ENCRYPTED = 0x20
        UNKNOWN = 0xc0
        FASTEST = 0x04
        SLOWEST = 0x02
        EXTRA_FLAGS = { BEST_SPEED => FASTEST, BEST_COMPRESSION => SLOWEST }.freeze

        attr_accessor :mtime, :orig_name, :comment
        attr_reader :os_code, :level

        # Reads and consumes the header of a GzipReader::Source.
        def self.read(source)
          raise Error.new("not in gzip format", source.waiting) unless source.wait_for(LENGTH)
          return plain(source) if source.waiting.start_with?(PLAIN)

          magic, method, flags, mtime, extra_flags, os_code = source.peek(LENGTH).unpack("a2CCVCC")
          raise Error.new("not in gzip format", source.waiting) if magic != MAGIC

          check(method, flags)
          source.skip(LENGTH)
          header = new(level: level_of(extra_flags), mtime: mtime, os_code: os_code)
          header.read_rest(source, flags)
          header
        end

        def self.plain(source)
          bytes = source.waiting
          header = new(level: level_of(bytes.getbyte(8)), mtime: bytes.unpack1("V", offset: 4),
                       os_code: bytes.getbyte(9))
          source.skip(LENGTH)
          header
        end
        private_class_method :plain

        def self.check(method, flags)
          raise Error, "unsupported compression method #{method}" if method != DEFLATE
          raise Error, "multi-part gzip file is not supported" if flags.anybits?(HEADER_CHECKSUM)
          raise Error, "encrypted gzip file is not supported" if flags.anybits?(ENCRYPTED)
          raise Error, format("unknown flags 0x%02x", flags) if flags.anybits?(UNKNOWN)
        end
        private_class_method :check

        def self.level_of(extra_flags)
          return BEST_SPEED if extra_flags.anybits?(FASTEST)

          extra_flags.anybits?(SLOWEST) ? BEST_COMPRESSION : DEFAULT_COMPRESSION
        end
        private_class_method :level_of

        def initialize(level:, mtime: 0, os_code: OS_CODE)
          @level = level
          @mtime = mtime
          @os_code = os_code
        end

        def read_rest(source, flags)
          skip_extra(source) if flags.anybits?(EXTRA)
          @orig_name = source.take_until_zero if flags.anybits?(ORIG_NAME)
          @comment = source.take_until_zero if flags.anybits?(COMMENT)
        end

        def to_s
          flags = (@orig_name ? ORIG_NAME : 0) | (@comment ? COMMENT : 0)
          bytes = [MAGIC, DEFLATE, flags, @mtime, EXTRA_FLAGS.fetch(@level, 0), @os_code].pack("a2CCVCC")
          bytes << @orig_name << 0 if @orig_name
          bytes << @comment << 0 if @comment
          bytes
        end

        private

        def skip_extra(source)
          source.need(2)
          length = source.peek(2).unpack1("v")
          source.need(2 + length)
          source.skip(2 + length)
        end
      end
    end
  end
end
