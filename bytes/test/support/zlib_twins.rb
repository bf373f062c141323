# frozen_string_literal: true

require "spate/zlib"
require "stringio"
require "zlib"

module Spate
  # Makes the same random calls on an object of Ruby's zlib and on one of Spate's. Outcomes must be equal.
  class ZlibTwins
    # The difference, and the calls that reproduce it.
    class Difference < StandardError; end

    TEXT = ["a", "b", " ", "\n", "\n\n", "é", "語", "𝄞", "\r\n", "end"].freeze
    ENCODINGS = %w[UTF-8 UTF-16LE UTF-16BE UTF-32LE ISO-8859-1 EUC-JP Shift_JIS US-ASCII BINARY].freeze

    def initialize(seed)
      @random = Random.new(seed)
    end

    def gzip_reader
      external, internal = Array.new(2) { one_of(ENCODINGS) }
      text = Array.new(@random.rand(one_of([5, 300, 20_000]))) { one_of(TEXT) }.join
      bytes = text.encode(external == "BINARY" ? "UTF-8" : external, undef: :replace, invalid: :replace)
      options = one_of([{ external_encoding: external }, { external_encoding: external, internal_encoding: internal },
                        { encoding: "#{external}:#{internal}" }, {}])
      packed = ::Zlib.gzip(bytes) + one_of(["", "behind"])
      cut = Encoding.find(external).ascii_compatible? && [{}, { external_encoding: external }].include?(options)
      pair = [::Zlib, Zlib].map { |library| library::GzipReader.new(StringIO.new(packed), **options) }
      @empty = text.empty?
      twins(pair, options) { cut ? reading_parts : reading }
    end

    def inflate
      dictionary = "alpha beta gamma".b
      known = one_of([true, false])
      deflate = ::Zlib::Deflate.new(one_of([1, 6, 9]))
      deflate.set_dictionary(dictionary) if known
      packed = deflate.deflate(content, ::Zlib::FINISH) + one_of(["", "behind".b, @random.bytes(@random.rand(40_000))])
      at = 0
      twins([::Zlib, Zlib].map { |library| library::Inflate.new }, { dictionary: known }) do
        next inflating(dictionary) if @random.rand(3).zero?

        # Ruby's zlib fails if a piece ends with the ID of the dictionary, which ends at the sixth byte.
        piece = packed.byteslice(at, (at == 0 ? 7 : 1) + @random.rand(one_of([3, 100, 9000, 50_000])))
        next [:total_out] if piece.nil? || piece.empty?

        at += piece.bytesize
        [one_of(%i[inflate <<]), piece.force_encoding(one_of(%w[BINARY UTF-8]))]
      end
    end

    def deflate
      level = one_of([0, 1, 6, 9])
      twins([::Zlib, Zlib].map { |library| library::Deflate.new(level) }, { level: level }) { deflating }
    end

    private

    def one_of(list) = list[@random.rand(list.length)]

    def content
      Array.new(@random.rand(one_of([3, 300, 30_000]))) { one_of(["alpha ", "beta ", "é", @random.bytes(3)]) }.join.b
    rescue Encoding::CompatibilityError
      retry
    end

    # Omits calls that end within a character of a wide or converted encoding.
    def reading
      one_of([[:read], [:gets], [:gets, nil], [:getc], [:readchar], [:eof?], [:rewind], [:each_char], [:crc], [:pos]])
    end

    def reading_parts
      count = @random.rand(one_of([2, 20, 3000]))
      text = one_of(TEXT)
      one_of([[:read], [:read, count], [:gets], [:gets, nil], [:gets, ""], [:gets, count + 1],
              [:gets, "b"], [:gets, "\n", count + 1], [:getc], [:readchar], [:getbyte], [:readbyte], [:readline],
              [:eof?], [:pos], [:lineno], [:rewind], [:ungetc, text], [:ungetbyte, 65], [:external_encoding],
              [:crc]])
    end

    def inflating(dictionary)
      one_of([[:avail_in], [:flush_next_in], [:flush_next_out], [:total_in], [:total_out], [:finished?],
              [:stream_end?], [:set_dictionary, dictionary], [:add_dictionary, dictionary], [:adler], [:data_type],
              [:finish], [:sync_point?]])
    end

    def deflating
      text = content.force_encoding(one_of(%w[BINARY UTF-8]))
      one_of([[:deflate, text, one_of([::Zlib::NO_FLUSH, ::Zlib::SYNC_FLUSH, ::Zlib::FULL_FLUSH])], [:<<, text],
              [:set_dictionary, text], [:flush], [:avail_in], [:flush_next_in], [:total_in], [:finished?], [:adler],
              [:finish], [:reset]])
    end

    # Yields to get each call, and makes it on both objects.
    def twins(pair, facts)
      calls = [facts]
      (5 + @random.rand(40)).times do
        name, *arguments = yield
        calls << [name, *arguments.map { |argument| argument.is_a?(String) ? argument.bytesize : argument }]
        stock, ours = pair.map { |one| outcome(one, name, arguments.map(&:dup)) }
        same = stock == ours || untold?(name)
        raise Difference, "#{calls.inspect}:\n#{brief(stock)} expected, #{brief(ours)} found" unless same
        break if stock.is_a?(Array) && stock.first == :raised && stock[1] != "Zlib::NeedDict"
      end
    end

    # Before version 3, Ruby's eof? returns false after rewind of empty data.
    def untold?(name) = name == :eof? && @empty && ::Zlib::VERSION < "3"

    def outcome(object, name, arguments)
      value = name == :each_char ? object.each_char.to_a : object.public_send(name, *arguments)
      return :itself if value.equal?(object)
      return value.b if arguments == [""] && value # Ruby's zlib returns a paragraph of one byte without its encoding

      value.is_a?(String) ? [value.encoding.name, value] : value
    rescue StandardError => e
      [:raised, e.class.name.delete_prefix("Spate::"), e.message]
    end

    def brief(outcome) = outcome.inspect.then { |text| text.length > 200 ? "#{text[0, 200]}… (#{text.length})" : text }
  end
end
