# frozen_string_literal: true

module Spate
  module Build
    module Trace
      # Reads the dependencies of an ELF file in plain Ruby (System V ABI, chapters 4 and 5). Supports 32-bit and 64-bit
      # files in both byte orders.
      class Elf
        MAGIC = "\x7FELF".b
        LOAD = 1
        DYNAMIC = 2
        NEEDED = 1
        STRING_TABLE = 5
        Segment = Struct.new(:type, :offset, :address, :bytes)

        # Returns nil if the file is damaged or not an ELF file.
        def self.read(path)
          return unless Content.of(path, 4) == MAGIC

          elf = new(Content.of(path))
          elf if elf.needed
        rescue SystemCallError, ArgumentError, TypeError, NoMethodError
          nil
        end

        def initialize(bytes)
          @bytes = bytes
          @wide = bytes.getbyte(4) == 2
          @order = bytes.getbyte(5) == 2 ? ">" : "<"
        end

        # Names of the libraries that the file needs (DT_NEEDED).
        def needed = dynamic.filter_map { |key, value| string(value) if key == NEEDED }

        # Whether the pattern matches in a loadable segment. Debug sections are not loadable.
        def mapped?(pattern)
          loaded.any? { |segment| @bytes.byteslice(segment.offset, segment.bytes)&.match?(pattern) }
        end

        private

        def loaded = segments.select { |segment| segment.type == LOAD }

        def dynamic
          @dynamic ||= begin
            segment = segments.find { |one| one.type == DYNAMIC }
            size, letter = @wide ? [8, "Q"] : [4, "L"]
            values = segment ? numbers(letter, segment.offset, segment.bytes / size) : []
            values.each_slice(2).take_while { |key, _| key != 0 }
          end
        end

        def string(offset)
          start = (@table ||= place(dynamic.assoc(STRING_TABLE)[1])) + offset
          @bytes.byteslice(start, @bytes.index("\0", start) - start).force_encoding(Encoding::UTF_8)
        end

        # The file offset of an address.
        def place(address)
          segment = loaded.find { |one| (one.address...one.address + one.bytes).cover?(address) }
          segment.offset + address - segment.address
        end

        def segments
          @segments ||= begin
            start, = @wide ? numbers("Q", 32, 1) : numbers("L", 28, 1)
            size, count = numbers("S", @wide ? 54 : 42, 2)
            Array.new(count) { |index| segment(start + (index * size)) }
          end
        end

        def segment(at)
          return Segment.new(*numbers("L", at, 1), *numbers("Q", at + 8, 4).values_at(0, 1, 3)) if @wide

          Segment.new(*numbers("L", at, 5).values_at(0, 1, 2, 4))
        end

        def numbers(size, at, count) = @bytes.unpack("#{size}#{@order}#{count}", offset: at)
      end
    end
  end
end
