# frozen_string_literal: true

module Spate
  # Numbers of one type in a buffer, in the machine's byte order. ECMA-262 section 23.2.
  #
  # Reading follows Ruby: a negative index counts from the end, and outside is nil. Writing outside raises IndexError.
  # Methods that both Enumerable and JavaScript have (map, select, reject, sort, reverse) return a typed array.
  class TypedArray
    class << self
      # A new array of these numbers. ECMA-262 23.2.2.2.
      def of(*numbers) = new(numbers)

      # A new array of the source's elements, each passed through the block if there is one. ECMA-262 23.2.2.1.
      # TypeError for anything but a list of numbers.
      def from(source, &block)
        raise TypeError, "#{source.class} is not a list of numbers" unless source.respond_to?(:each_entry)

        numbers = source.to_a
        new(block ? numbers.each_with_index.map(&block) : numbers)
      end
    end

    # The bytes of this array as a DataView.
    def data_view = DataView.new(buffer, byte_offset, byte_length)

    # The bytes as a new binary String.
    def bytes = data_view.to_s

    # Enumerators of numbers, of indexes, and of [index, number]. ECMA-262 23.2.3.35, .19, .7.
    def values = each
    def keys = length.times
    def entries = each_with_index.lazy.map { |number, index| [index, number] }.each

    # The numbers as text, joined with the separator. ECMA-262 23.2.3.18.
    def join(separator = ",") = to_a.join(separator)

    # Typed arrays of the same type: of the block's results, of the elements that it accepts, of the others.
    # ECMA-262 23.2.3.22, .10.
    def map(&block)
      return enum_for(:map) { length } unless block

      self.class.new(to_a.map(&block))
    end

    def select(&block)
      return enum_for(:select) { length } unless block

      self.class.new(to_a.select(&block))
    end
    alias filter select

    def reject(&block)
      return enum_for(:reject) { length } unless block

      self.class.new(to_a.reject(&block))
    end

    # In place: by number, or by the block as in Array#sort. NaN comes last. ECMA-262 23.2.3.29.
    def sort!(&block)
      return sort_numbers unless block

      sorted = to_a.sort(&block)
      set(sorted.first(length))
      self
    end

    # Copies, sorted like sort!, and reversed. ECMA-262 23.2.3.33, .32.
    def sort(&block) = dup.sort!(&block)
    def reverse = dup.reverse!

    # A copy with one number changed. ECMA-262 23.2.3.36. IndexError outside.
    def with(index, number) = dup.tap { |copy| copy[index] = number }

    # The first index from `from` on, or nil.
    def index(number = (missing = true), from = 0, &block)
      return to_a.index(&block) if missing

      from += length if from.negative?
      found = to_a.drop([from, 0].max).index(number)
      found && (found + [from, 0].max)
    end
    alias find_index index

    # The last index up to there, or nil.
    def rindex(number = (missing = true), from = -1, &block)
      return to_a.rindex(&block) if missing

      from += length if from.negative?
      from.negative? ? nil : to_a.first(from + 1).rindex(number)
    end

    # Whether the number is included, from that index on; NaN is found too. ECMA-262 23.2.3.16.
    def include?(number, from = 0)
      from = [from + length, 0].max if from.negative?
      rest = from.zero? ? self : to_a.drop(from)
      return rest.any? { |each| each.is_a?(Float) && each.nan? } if number.is_a?(Float) && number.nan?

      from.zero? ? super(number) : rest.include?(number)
    end

    # The last number, or nil.
    def last = self[-1]

    # @!group JavaScript's names
    alias forEach each
    alias some any?
    alias every all?
    alias includes include?
    alias toSorted sort
    alias toReversed reverse
    alias subArray subarray

    # -1 if the number is missing, as in JavaScript.
    def index_of(number, from = 0) = index(number, from) || -1
    # The same from the end, and by a block. ECMA-262 23.2.3.20, .14.
    def last_index_of(number, from = -1) = rindex(number, from) || -1
    def find_last_index(&block) = rindex(&block) || -1
    # The last number that the block accepts, or nil; and `reduce` from the end. ECMA-262 23.2.3.13, .24.
    def find_last(&block) = to_a.reverse.find(&block)
    def reduce_right(*initial, &block) = to_a.reverse.reduce(*initial, &block)

    alias indexOf index_of
    alias lastIndexOf last_index_of
    alias findIndex index
    alias findLastIndex find_last_index
    alias findLast find_last
    alias reduceRight reduce_right
    # @!endgroup

    # This machine's byte order, which Marshal stores with the bytes.
    BYTE_ORDER = [1].pack("S") == "\1\0" ? "little" : "big"
    private_constant :BYTE_ORDER

    # For Marshal: the bytes and their order, which another machine may have to swap.
    def marshal_dump = [bytes, BYTE_ORDER]

    def marshal_load(dumped)
      bytes, order = Array.try_convert(dumped)
      unless bytes.is_a?(String) && [nil, "little", "big"].include?(order)
        raise TypeError, "not a marshalled #{self.class}"
      end

      initialize(ArrayBuffer.from(order && order != BYTE_ORDER ? swapped(bytes) : bytes))
    end

    private

    def swapped(bytes)
      bytes.unpack("a#{self.class::BYTES_PER_ELEMENT}" * (bytes.bytesize / self.class::BYTES_PER_ELEMENT))
           .map!(&:reverse).join
    end
  end
end
