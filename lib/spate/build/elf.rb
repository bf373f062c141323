# frozen_string_literal: true

module Spate
  module Build
    # As much of an ELF file as says what it links against, read in plain Ruby (System V ABI, chapters 4 and 5).
    # Both classes and byte orders.
    class Elf
      MAGIC = "\x7FELF".b
      LOAD = 1
      DYNAMIC = 2
      NEEDED = 1
      STRING_TABLE = 5
      # Objects that `ld.so` loads: ET_EXEC, ET_DYN.
      LOADABLE = [2, 3].freeze

      # nil for what is no ELF file that a process can load, and for a damaged one.
      def self.read(path)
        return unless File.binread(path, 4) == MAGIC

        elf = new(File.binread(path))
        elf if elf.loadable? && elf.needed
      rescue SystemCallError, ArgumentError, TypeError, NoMethodError
        nil
      end

      def initialize(bytes)
        @bytes = bytes
        @wide = bytes.getbyte(4) == 2
        @order = bytes.getbyte(5) == 2 ? ">" : "<"
      end

      def loadable? = LOADABLE.include?(half(16))

      # Names of libraries that must be found when it is loaded.
      def needed = strings(NEEDED)

      # Whether a text occurs in what a process maps: debug sections and the like do not count.
      def mapped?(text)
        text = text.b
        segments.any? do |segment|
          segment[:type] == LOAD && @bytes.byteslice(segment[:offset], segment[:size])&.include?(text)
        end
      end

      private

      def strings(tag)
        dynamic.filter_map { |key, value| string(value) if key == tag }
      end

      def dynamic
        @dynamic ||= begin
          segment = segments.find { |candidate| candidate[:type] == DYNAMIC }
          step = @wide ? 16 : 8
          pairs = segment ? (0...segment[:size] / step).map { |index| pair(segment[:offset] + (index * step)) } : []
          pairs.take_while { |key, _| key != 0 }
        end
      end

      def pair(offset)
        @wide ? [xword(offset), xword(offset + 8)] : [word(offset), word(offset + 4)]
      end

      def string(offset)
        table = @table ||= place(dynamic.assoc(STRING_TABLE)[1])
        start = table + offset
        @bytes.byteslice(start, @bytes.index("\0", start) - start).force_encoding(Encoding::UTF_8)
      end

      # Offset in the file of an address.
      def place(address)
        segment = segments.find do |candidate|
          candidate[:type] == LOAD && (candidate[:address]...candidate[:address] + candidate[:size]).cover?(address)
        end
        segment[:offset] + address - segment[:address]
      end

      def segments
        @segments ||= begin
          start, size, count = @wide ? [xword(32), half(54), half(56)] : [word(28), half(42), half(44)]
          Array.new(count) { |index| segment(start + (index * size)) }
        end
      end

      def segment(at)
        if @wide
          { type: word(at), offset: xword(at + 8), address: xword(at + 16), size: xword(at + 32) }
        else
          { type: word(at), offset: word(at + 4), address: word(at + 8), size: word(at + 16) }
        end
      end

      def half(offset) = @bytes.unpack1("S#{@order}", offset: offset)
      def word(offset) = @bytes.unpack1("L#{@order}", offset: offset)
      def xword(offset) = @bytes.unpack1("Q#{@order}", offset: offset)
    end
  end
end
