# frozen_string_literal: true

require "spate/zlib"
require "zlib"

module Spate
  # Makes random calls of Spate::Zlib and checks them with the stock library. For child processes with GC.stress,
  # compaction or sanitizers. Raises at the first difference.
  class ZlibWalk
    # A difference, with the seed that reproduces it.
    class Difference < StandardError; end

    WORDS = %w[alpha beta gamma delta epsilon zeta eta theta].freeze

    attr_reader :steps

    # largest: maximum bytes of content. threads: also make calls in threads that are killed.
    def initialize(seed, largest: 300_000, threads: true)
      @seed = seed
      @random = Random.new(seed)
      @largest = largest
      @steps = 0
      @actions = %i[whole limited damaged deflate_stream inflate_stream block_left buffer copies dictionary sums]
      @actions << :killed if threads
    end

    def run(count)
      count.times do
        action = @actions.sample(random: @random)
        send(action)
        @steps += 1
      rescue Difference => e
        raise Difference, "#{action}, step #{@steps}, seed #{@seed}: #{e.message}"
      end
    end

    private

    # Returns content with a length of any order of magnitude.
    def content
      length = [3, 100, 3000, 8191, 8193, 70_000, @largest].sample(random: @random)
      length = @random.rand([length, @largest].min + 1)
      case @random.rand(3)
      when 0 then @random.bytes(length)
      when 1 then (WORDS.sample(random: @random) * (length / 4 + 1)).byteslice(0, length).b
      else Array.new(length / 6 + 1) { WORDS.sample(random: @random) }.join(" ").byteslice(0, length).b
      end
    end

    def same(expected, found)
      return if expected == found

      raise Difference, "#{expected.inspect[0, 60]} (#{expected&.size}) expected, #{found.inspect[0, 60]} found"
    end

    def pieces(bytes)
      at = 0
      all = []
      while at < bytes.bytesize
        all << bytes.byteslice(at, 1 + @random.rand([10, 1000, 20_000].sample(random: @random)))
        at += all.last.bytesize
      end
      all
    end

    def whole
      bytes = content
      level = @random.rand(11) - 1
      packed = Zlib.deflate(bytes, level, identical: @random.rand(3).zero?)
      same bytes, ::Zlib.inflate(packed)
      same bytes, Zlib.inflate(packed)
      same bytes, Zlib.inflate("#{packed}more")
    end

    def limited
      bytes = content
      packed = ::Zlib.deflate(bytes)
      limit = @random.rand(bytes.bytesize * 2 + 1)
      [-> { Zlib.inflate(packed, max_output: limit) }, -> { Zlib::Inflate.new(max_output: limit).inflate(packed) },
       -> { Zlib::Inflate.new.inflate(packed, max_output: limit) }].each do |call|
        same limit >= bytes.bytesize ? bytes : nil, (begin
          call.call
        rescue Zlib::OutputLimitError
          nil
        end)
      end
    end

    def outcome
      yield
    rescue StandardError => e
      [e.class.name.delete_prefix("Spate::"), e.message]
    end

    def damaged
      bytes = content
      packed = ::Zlib.deflate(bytes)
      if @random.rand(2).zero?
        packed = packed.byteslice(0, @random.rand(packed.bytesize))
      else
        at = @random.rand(packed.bytesize)
        packed.setbyte(at, packed.getbyte(at) ^ (1 << @random.rand(8)))
      end
      stock = outcome { ::Zlib.inflate(packed) }
      ours = outcome { Zlib.inflate(packed) }
      same stock, ours unless ours == bytes
      same stock, outcome { inflate = Zlib::Inflate.new and inflate.inflate(packed) + inflate.finish }
    end

    def deflate_stream
      bytes = content
      deflate = Zlib::Deflate.new(@random.rand(10))
      out = pieces(bytes).map { |piece| deflate.finished? ? "" : deflate.deflate(piece, @random.rand(4)) }
      finished = deflate.finished?
      out << deflate.finish
      inflated = ::Zlib.inflate(out.join)
      same finished ? bytes.byteslice(0, inflated.bytesize) : bytes, inflated
      deflate.close if @random.rand(2).zero?
    end

    def inflate_stream
      bytes = content
      packed = ::Zlib.deflate(bytes)
      inflate = Zlib::Inflate.new
      out = pieces(packed).map do |piece|
        case @random.rand(3)
        when 0 then inflate.inflate(piece)
        when 1 then (inflate << piece).flush_next_out
        else
          chunks = []
          inflate.inflate(piece) { |chunk| chunks << chunk }
          chunks.join
        end
      end
      out << inflate.finish
      same bytes, out.join
      inflate.reset if @random.rand(3).zero?
    end

    def block_left
      bytes = content
      inflate = Zlib::Inflate.new
      out = +"".b
      catch(:left) { inflate.inflate(::Zlib.deflate(bytes)) { |chunk| out << chunk and throw(:left) } }
      inflate.inflate("") { |chunk| out << chunk } while @random.rand(4).zero? && !inflate.finished?
      out << inflate.finish
      same bytes, out
    end

    def buffer
      bytes = content
      buffer = "".b
      inflate = Zlib::Inflate.new
      out = pieces(::Zlib.deflate(bytes)).map { |piece| inflate.inflate(piece, buffer: buffer).dup }
      same bytes, out.join + inflate.finish
    end

    def copies
      bytes = content
      first = Zlib::Deflate.new << bytes
      second = first.dup
      first << "1"
      same "#{bytes}2".b, ::Zlib.inflate((second << "2").finish)
      same "#{bytes}1".b, Zlib.inflate(first.finish)
    end

    def dictionary
      bytes = content
      deflate = Zlib::Deflate.new
      deflate.set_dictionary("alpha beta")
      packed = deflate.deflate(bytes, Zlib::FINISH)
      same bytes, Zlib::Inflate.new.add_dictionary("alpha beta").inflate(packed)
    end

    def sums
      bytes = content
      same ::Zlib.crc32(bytes), Zlib.crc32(bytes)
      same ::Zlib.adler32(bytes), Zlib.adler32(bytes)
    end

    # Makes a call in a thread that is killed at a random time, while its Strings change.
    def killed
      bytes = content
      packed = ::Zlib.deflate(bytes)
      stream = Zlib::Inflate.new
      thread = Thread.new do
        Zlib.deflate(bytes)
        Zlib.inflate(packed)
        stream.inflate(packed)
      end
      Thread.pass while thread.alive? && @random.rand(20) != 0
      thread.kill.join
      bytes.clear
      packed.replace("other bytes")
      stream.close
    end
  end
end
