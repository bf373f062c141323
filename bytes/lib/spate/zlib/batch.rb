# frozen_string_literal: true

module Spate
  # Processes many Strings in one call. The GVL is released only once, and the work is divided among all processors.
  module Zlib
    # Raised when some items of a batch are invalid. The other items have been processed.
    class BatchError < Error
      # @return [Hash{Integer => Error}] index of each invalid item => the error that a call for that item alone would
      #   raise
      attr_reader :errors
      # @return [Array<String, nil>, nil] the results, nil for invalid items; nil if `each_inflated` raised the error
      attr_reader :results

      # @!visibility private
      def initialize(errors, results = nil)
        @errors = errors
        @results = results
        index, error = errors.first
        others = errors.size > 1 ? " (and #{errors.size - 1} more)" : ""
        super("item #{index}: #{error.message}#{others}")
      end

      # @return [Integer] the index of the first invalid item
      def index = @errors.each_key.first
    end

    BATCH_FORMATS = { auto: 0, zlib: 1, gzip: 2, raw: 3 }.freeze
    # Maximum compressed bytes and maximum number of Strings that each_inflated processes at a time.
    WINDOW = 4 * 1024 * 1024
    WINDOW_COUNT = 4096
    private_constant :BATCH_FORMATS, :WINDOW, :WINDOW_COUNT

    class << self
      # Inflates each String, in order.
      #
      # @param strings [Array<String>]
      # @param threads [Integer, nil] nil for one per processor
      # @param max_output [Integer, nil] maximum inflated bytes of each String
      # @param format [Symbol] `:zlib` (RFC 1950), `:gzip` (1952), `:raw` (1951), or `:auto` for zlib or gzip
      # @param errors [Symbol] `:raise`, or `:keep` to return errors as the results of invalid items
      # @return [Array<String, Error>]
      # @raise [BatchError] after all items are processed, if some are invalid
      # @raise [TypeError] if an item is not a String, before any item is processed; with `errors: :keep`, such an item
      #   is invalid
      def inflate_all(strings, threads: nil, max_output: nil, format: :auto, errors: :raise)
        raise ArgumentError, "errors is :raise or :keep, not #{errors.inspect}" unless %i[raise keep].include?(errors)

        number = format_number(format)
        list = Array.try_convert(strings) or raise TypeError, "no implicit conversion of #{strings.class} into Array"
        strings = list.dup.freeze
        texts = errors == :keep ? only_texts(strings) : strings
        results, bad = batch(0, texts, check_threads(threads), number, 0, max_output)
        return results unless bad

        found = inflate_again(strings, bad, results, format, max_output)
        return results if found.empty?
        raise BatchError.new(found, results) if errors == :raise

        found.each { |index, error| results[index] = error }
        results
      end

      # Deflates each String, in order, like `deflate`.
      #
      # @param strings [Array<String>]
      # @param level [Integer, nil] 0 to 9
      # @param threads [Integer, nil] nil for one per processor
      # @param format [Symbol] `:zlib`, `:gzip` or `:raw`
      # @return [Array<String>]
      # @raise [StreamError] for an invalid level
      def deflate_all(strings, level: nil, threads: nil, format: :zlib)
        level = level.nil? ? DEFAULT_COMPRESSION : Integer(level)
        raise StreamError, "stream error" unless level.between?(-1, 9)
        raise ArgumentError, "format is :zlib, :gzip or :raw, not :auto" if format == :auto

        batch(1, strings, check_threads(threads), format_number(format), level, nil).first
      end

      # Computes the CRC-32 of each String, in order.
      #
      # @param strings [Array<String>]
      # @param threads [Integer, nil] nil for one per processor
      # @return [Array<Integer>]
      def crc32_all(strings, threads: nil)
        batch(2, strings, check_threads(threads), 0, 0, nil).first
      end

      # Inflates Strings in order, a limited number of them in advance.
      #
      # @param strings [Enumerable<String>]
      # @param errors [Symbol] as for {inflate_all}
      # @param options [Hash{Symbol => Object}] as for {inflate_all}
      # @yieldparam result [String, Error]
      # @yieldparam index [Integer]
      # @return [Enumerable<String>, Enumerator] the argument; an Enumerator without a block
      # @raise [BatchError] at the end, if some items are invalid
      def each_inflated(strings, errors: :raise, **options)
        return to_enum(:each_inflated, strings, errors: errors, **options) unless block_given?
        raise ArgumentError, "errors is :raise or :keep, not #{errors.inspect}" unless %i[raise keep].include?(errors)

        found = {}
        first = 0
        each_window(strings) do |window|
          inflate_all(window, errors: :keep, **options).each_with_index do |result, index|
            if errors == :raise && result.is_a?(Exception)
              found[first + index] = result
            else
              yield result, first + index
            end
          end
          first += window.size
        end
        raise BatchError, found unless found.empty?

        strings
      end

      private

      def each_window(strings)
        window = []
        bytes = 0
        strings.each do |string|
          window << string
          bytes += string.to_str.bytesize if string.respond_to?(:to_str)
          next if bytes < WINDOW && window.size < WINDOW_COUNT

          yield window
          window = []
          bytes = 0
        end
        yield window unless window.empty?
      end

      # Replaces objects that are not Strings with an empty String, which is invalid in every format. `inflate_again`
      # then raises the right error for them.
      def only_texts(strings)
        return strings if strings.all?(String)

        strings.map { |string| string.respond_to?(:to_str) ? string : "" }
      end

      # Inflates each invalid item again in a separate call. Returns { index => error }.
      def inflate_again(strings, bad, results, format, max_output)
        bad.each_with_object({}) do |index, errors|
          results[index] = inflate_alone(String.new(strings[index]), format, max_output)
        rescue Error, TypeError => e
          errors[index] = e
        end
      end

      def inflate_alone(string, format, max_output)
        format = string.start_with?("\x1f\x8b".b) ? :gzip : :zlib if format == :auto
        case format
        when :gzip then gunzip(string, max_output: max_output)
        when :zlib then inflate(string, max_output: max_output)
        when :raw then inflate_raw(string, max_output)
        end
      end

      def inflate_raw(string, max_output)
        stream = Inflate.new(-MAX_WBITS, max_output: max_output)
        content = stream.inflate(string)
        content << stream.finish
      ensure
        stream&.close
      end

      def format_number(format)
        BATCH_FORMATS.fetch(format) { raise ArgumentError, "unknown format #{format.inspect}" }
      end

      def check_threads(threads)
        return if threads.nil?

        threads = Integer(threads)
        raise ArgumentError, "threads must be at least 1, not #{threads}" if threads < 1

        threads
      end
    end
  end
end
