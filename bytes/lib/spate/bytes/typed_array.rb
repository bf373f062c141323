# frozen_string_literal: true

module Spate
  # Numbers of one type in a buffer, in the machine's byte order. ECMA-262 section 23.2.
  #
  # Reading follows Ruby: a negative index counts from the end, and an index outside the array returns nil. Writing
  # outside the array raises IndexError. Methods that exist in both Enumerable and JavaScript (map, select, reject,
  # sort, reverse) return a typed array.
  class TypedArray
    class << self
      # Makes an array of these numbers. ECMA-262 23.2.2.2.
      #
      # @param numbers [Array<Numeric>]
      # @return [TypedArray] of this class
      def of(*numbers) = new(numbers)

      # Makes an array of the source's elements, or of the block's results for them. ECMA-262 23.2.2.1.
      #
      # @param source [Enumerable<Numeric>]
      # @yieldparam number [Numeric]
      # @yieldparam index [Integer]
      # @yieldreturn [Numeric]
      # @return [TypedArray] of this class
      # @raise [TypeError] for anything except a list of numbers
      def from(source, &block)
        raise TypeError, "#{source.class} is not a list of numbers" unless source.respond_to?(:each_entry)

        numbers = source.to_a
        new(block ? numbers.each_with_index.map(&block) : numbers)
      end
    end

    # @return [DataView] the bytes of this array
    def data_view = DataView.new(buffer, byte_offset, byte_length)

    # @return [String] a binary copy of the bytes
    def bytes = data_view.to_s

    # @return [Enumerator<Numeric>] ECMA-262 23.2.3.35
    def values = each
    # @return [Enumerator<Integer>] the indexes. ECMA-262 23.2.3.19
    def keys = length.times
    # @return [Enumerator<Array(Integer, Numeric)>] index and number. ECMA-262 23.2.3.7
    def entries = each_with_index.lazy.map { |number, index| [index, number] }.each

    # Joins the numbers as text. ECMA-262 23.2.3.18.
    #
    # @param separator [String]
    # @return [String]
    def join(separator = ",") = to_a.join(separator)

    # Makes an array of the block's results. ECMA-262 23.2.3.22.
    #
    # @yieldparam number [Numeric]
    # @yieldreturn [Numeric]
    # @return [TypedArray, Enumerator] of the same class; an Enumerator without a block
    def map(&block)
      return enum_for(:map) { length } unless block

      self.class.new(to_a.map(&block))
    end

    # Makes an array of the numbers that the block accepts. ECMA-262 23.2.3.10.
    #
    # @yieldparam number [Numeric]
    # @return [TypedArray, Enumerator] of the same class; an Enumerator without a block
    def select(&block)
      return enum_for(:select) { length } unless block

      self.class.new(to_a.select(&block))
    end
    alias filter select

    # Makes an array of the numbers that the block rejects.
    #
    # @yieldparam number [Numeric]
    # @return [TypedArray, Enumerator] of the same class; an Enumerator without a block
    def reject(&block)
      return enum_for(:reject) { length } unless block

      self.class.new(to_a.reject(&block))
    end

    # Sorts in place, by value or by the block as in Array#sort. NaN comes last. ECMA-262 23.2.3.29.
    #
    # @yieldparam left [Numeric]
    # @yieldparam right [Numeric]
    # @yieldreturn [Integer]
    # @return [self]
    # @raise [FrozenError]
    def sort!(&block)
      return sort_numbers unless block

      sorted = to_a.sort(&block)
      set(sorted.first(length))
      self
    end

    # @return [TypedArray] a copy, sorted like {#sort!}. ECMA-262 23.2.3.33
    def sort(&block) = dup.sort!(&block)
    # @return [TypedArray] a reversed copy. ECMA-262 23.2.3.32
    def reverse = dup.reverse!

    # Makes a copy with one number changed. ECMA-262 23.2.3.36.
    #
    # @param index [Integer]
    # @param number [Numeric]
    # @return [TypedArray]
    # @raise [IndexError] if the index is outside the array
    def with(index, number) = dup.tap { |copy| copy[index] = number }

    # Finds the first number that equals the argument, or that the block accepts.
    #
    # @param number [Numeric]
    # @param from [Integer] where to begin; a negative one counts from the end
    # @yieldparam number [Numeric]
    # @return [Integer, nil] the index of the first match
    def index(number = (missing = true), from = 0, &block)
      return to_a.index(&block) if missing

      from += length if from.negative?
      found = to_a.drop([from, 0].max).index(number)
      found && (found + [from, 0].max)
    end
    alias find_index index

    # Finds the last number that equals the argument, or that the block accepts.
    #
    # @param number [Numeric]
    # @param from [Integer] where to begin; a negative one counts from the end
    # @yieldparam number [Numeric]
    # @return [Integer, nil] the index of the last match that is not after `from`
    def rindex(number = (missing = true), from = -1, &block)
      return to_a.rindex(&block) if missing

      from += length if from.negative?
      from.negative? ? nil : to_a.first(from + 1).rindex(number)
    end

    # Whether a number is included. Also finds NaN. ECMA-262 23.2.3.16.
    #
    # @param number [Object]
    # @param from [Integer] where to begin
    # @return [Boolean]
    def include?(number, from = 0)
      from = [from + length, 0].max if from.negative?
      rest = from.zero? ? self : to_a.drop(from)
      return rest.any? { |each| each.is_a?(Float) && each.nan? } if number.is_a?(Float) && number.nan?

      from.zero? ? super(number) : rest.include?(number)
    end

    # @return [Numeric, nil] the last number
    def last = self[-1]

    # @!group JavaScript's names
    alias forEach each
    alias some any?
    alias every all?
    alias includes include?
    alias toSorted sort
    alias toReversed reverse
    alias subArray subarray

    # Same as {#index}, but returns -1 instead of nil.
    #
    # @param number [Numeric]
    # @param from [Integer]
    # @return [Integer] -1 if it is missing, as in JavaScript
    def index_of(number, from = 0) = index(number, from) || -1
    # Same as {#rindex}, but returns -1 instead of nil. ECMA-262 23.2.3.20.
    #
    # @param number [Numeric]
    # @param from [Integer]
    # @return [Integer] -1 if it is missing
    def last_index_of(number, from = -1) = rindex(number, from) || -1
    # @yieldparam number [Numeric]
    # @return [Integer] the index of the last number that the block accepts, or -1. ECMA-262 23.2.3.14
    def find_last_index(&block) = rindex(&block) || -1
    # @yieldparam number [Numeric]
    # @return [Numeric, nil] the last number that the block accepts. ECMA-262 23.2.3.13
    def find_last(&block) = to_a.reverse.find(&block)
    # Like `reduce`, but starts at the end. ECMA-262 23.2.3.24.
    #
    # @param initial [Array<Object>] none, or the first value
    # @return [Object]
    def reduce_right(*initial, &block) = to_a.reverse.reduce(*initial, &block)

    alias indexOf index_of
    alias lastIndexOf last_index_of
    alias findIndex index
    alias findLastIndex find_last_index
    alias findLast find_last
    alias reduceRight reduce_right
    # @!endgroup

    # This machine's byte order. Marshal stores it with the bytes.
    BYTE_ORDER = [1].pack("S") == "\1\0" ? "little" : "big"
    private_constant :BYTE_ORDER

    # @!visibility private

    # Returns the bytes and their order for Marshal. A machine with a different byte order swaps the bytes when it loads
    # them.
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
