# frozen_string_literal: true

require "spate/bytes"
require_relative "bytes_model_codecs"

module Spate
  # A slow reference implementation: a buffer is an Array of bytes, and numbers use Integer arithmetic and pack. Random
  # operations run on the model and on the library. Both must return the same, or raise the same class of error.
  class BytesModel
    TYPES = {
      "int8" => [1, true], "uint8" => [1, false], "int16" => [2, true], "uint16" => [2, false], "uint24" => [3, false],
      "int32" => [4, true], "uint32" => [4, false], "int64" => [8, true], "uint64" => [8, false],
      "float32" => [4, "g"], "float64" => [8, "G"]
    }.freeze
    ARRAYS = { Int8Array => "c", Uint8Array => "C", Int16Array => "s", Uint32Array => "L", BigInt64Array => "q",
               Float64Array => "d" }.freeze
    MOST = 96

    include BytesModelCodecs

    # A difference between the model and the library: the operation and both results.
    class Difference < StandardError; end

    attr_reader :steps

    def initialize(seed)
      @random = Random.new(seed)
      @steps = 0
      renew
    end

    def run(count)
      count.times { step }
    end

    private

    def renew
      length = @random.rand(MOST)
      @bytes = Array.new(length, 0)
      @buffer = ArrayBuffer.new(length, max_byte_length: MOST)
      @window = @random.rand(length + 1)
      @view = DataView.new(@buffer, @window)
      @array_class = ARRAYS.keys.sample(random: @random)
      @array = @array_class.new(@buffer)
      @writer = BitWriter.new(order: @order = %i[big little].sample(random: @random))
      @bits = +""
    end

    OPERATIONS = (%i[get set element_at put_element resize slice fill copy_within set_bytes transfer bits subarray
                     compare hex reverse] + BytesModelCodecs::OPERATIONS).freeze

    def step
      @steps += 1
      send(OPERATIONS.sample(random: @random))
      renew if @random.rand(200).zero?
    end

    # Compares both results, or the classes of both errors.
    def same(what, model, real)
      expected = answer(&model)
      found = answer(&real)
      return if expected == found || both_nan?(expected, found)

      raise Difference, "step #{@steps}: #{what}: expected #{expected.inspect}, found #{found.inspect}"
    end

    def both_nan?(*values) = values.all? { |value| value.is_a?(Float) && value.nan? }

    def answer
      yield
    rescue IndexError, TypeError, RangeError, ArgumentError, EOFError => e
      e.class
    end

    def bytes_equal(what)
      same("bytes after #{what}", -> { @bytes.pack("C*") }, -> { @buffer.to_s })
    end

    def number(signed_or_format)
      if signed_or_format.is_a?(String)
        return [0.0, -0.0, 1.5, -1e300, Float::INFINITY, 3.4e38,
                @random.rand].sample(random: @random)
      end

      [@random.rand(256), -@random.rand(2**31), @random.rand(2**64), -(2**70), 2**63, 0].sample(random: @random)
    end

    def window_bytes
      raise TypeError if @window > @bytes.length

      @bytes.length - @window
    end

    def order = %w[be le].sample(random: @random)

    def offset = @random.rand(MOST + 4) - 1

    def check(index, width)
      raise IndexError if index.negative?

      room = window_bytes
      raise IndexError if index > room || width > room - index
    end

    def decode(bytes, kind, order)
      bytes = bytes.reverse if order == "le"
      return bytes.pack("C*").unpack1(kind) if kind.is_a?(String)

      value = bytes.inject(0) { |sum, byte| sum * 256 + byte }
      kind && bytes.first > 127 ? value - 256**bytes.length : value
    end

    def encode(value, width, kind, order)
      bytes = if kind.is_a?(String)
                [value].pack(kind).bytes
              else
                Array.new(width) do |i|
                  (value >> 8 * (width - 1 - i)) & 255
                end
              end
      order == "le" ? bytes.reverse : bytes
    end

    def get
      type, (width, kind) = TYPES.to_a.sample(random: @random)
      index = offset
      way = width == 1 ? nil : order
      same("get_#{type}_#{way}(#{index})",
           -> { check(index, width) || decode(@bytes[@window + index, width], kind, way) },
           -> { way ? @view.public_send("get_#{type}_#{way}", index) : @view.public_send("get_#{type}", index) })
    end

    def set
      type, (width, kind) = TYPES.to_a.sample(random: @random)
      index = offset
      way = width == 1 ? nil : order
      value = number(kind)
      same("set_#{type}_#{way}(#{index}, #{value})",
           -> { check(index, width) || @bytes[@window + index, width] = encode(value, width, kind, way) and nil },
           lambda {
             if way
               @view.public_send("set_#{type}_#{way}", index,
                                 value)
             else
               @view.public_send("set_#{type}", index, value)
             end
           })
      bytes_equal("set")
    end

    def width = @array_class::BYTES_PER_ELEMENT
    def count = @bytes.length / width
    def elements = @bytes.pack("C*").unpack("#{ARRAYS[@array_class]}#{count}")

    def element_at
      index = @random.rand(MOST) - (MOST / 2)
      same("[#{index}]", -> { elements[index] }, -> { @array[index] })
    end

    def put(index, value)
      packed = ARRAYS[@array_class] == "d" ? [value].pack("d") : [value & ((1 << (8 * width)) - 1)].pack(unsigned)
      @bytes[index * width, width] = packed.bytes
    end

    def unsigned = { 1 => "C", 2 => "S", 4 => "L", 8 => "Q" }.fetch(width)

    def put_element
      index = @random.rand(MOST) - (MOST / 4)
      value = number(ARRAYS[@array_class] == "d" ? "d" : true)
      model = lambda do
        at = index.negative? ? index + count : index
        raise IndexError unless at.between?(0, count - 1)

        put(at, value) && nil
      end
      same("[#{index}] = #{value}", model, -> { (@array[index] = value) && nil })
      bytes_equal("[]=")
    end

    def resize
      length = @random.rand(MOST + 3)
      model = lambda do
        raise RangeError if length > MOST

        @bytes = @bytes.first(length) + [0] * [length - @bytes.length, 0].max
        length
      end
      same("resize(#{length})", model, -> { @buffer.resize(length).byte_length })
      bytes_equal("resize")
    end

    def range = Array.new(2) { @random.rand(2 * MOST) - MOST }

    def clamp(position, length) = position.negative? ? [position + length, 0].max : [position, length].min

    def slice
      from, to = range
      model = lambda do
        first = clamp(from, @bytes.length)
        @bytes[first...[clamp(to, @bytes.length), first].max].pack("C*")
      end
      same("slice(#{from}, #{to})", model, -> { @buffer.slice(from, to).to_s })
    end

    def fill
      from, to = range
      value = number(ARRAYS[@array_class] == "d" ? "d" : true)
      (clamp(from, count)...clamp(to, count)).each { |index| put(index, value) }
      @array.fill(value, from, to)
      bytes_equal("fill(#{value}, #{from}, #{to})")
    end

    def copy_within
      target = range.first
      from, to = range
      first = clamp(from, count)
      part = @bytes[first * width...[clamp(to, count), first].max * width]
      at = clamp(target, count)
      part = part.first([part.length, (count - at) * width].min)
      @bytes[at * width, part.length] = part
      @array.copy_within(target, from, to)
      bytes_equal("copy_within(#{target}, #{from}, #{to})")
    end

    def set_bytes
      text = @random.bytes(@random.rand(20))
      index = offset
      model = lambda do
        check(index, text.bytesize)
        @bytes[@window + index, text.bytesize] = text.bytes
        text.bytesize
      end
      same("set_bytes(#{index}, #{text.bytesize} bytes)", model, -> { @view.set_bytes(index, text) })
      bytes_equal("set_bytes")
    end

    def transfer
      return unless @random.rand(20).zero?

      length = @random.rand(MOST)
      old = @buffer
      same("transfer(#{length})", -> { (@bytes.first(length) + [0] * [length - @bytes.length, 0].max).pack("C*") },
           -> { old.transfer(length).to_s })
      same("a detached view", -> { TypeError }, -> { @view.get_uint8(0) })
      renew
    end

    def subarray
      from, to = range
      first = clamp(from, count)
      return if @array_class == Float64Array

      same("subarray(#{from}, #{to})", -> { elements[first...[clamp(to, count), first].max] },
           -> { @array.subarray(from, to).to_a.then { |numbers| numbers } })
    end

    def compare
      copy = @array_class.new(@array)
      nan = elements.any? { |number| number.is_a?(Float) && number.nan? }
      same("==", -> { !nan }, -> { copy == @array })
    end

    def hex
      bytes = Uint8Array.new(@buffer)
      same("to_hex", -> { @bytes.pack("C*").unpack1("H*") }, -> { bytes.to_hex })
      same("to_base64", -> { [@bytes.pack("C*")].pack("m0") }, -> { bytes.to_base64 })
    end

    def reverse
      @bytes[0, count * width] = @bytes[0, count * width].each_slice(width).to_a.reverse.flatten
      @array.reverse!
      bytes_equal("reverse!")
    end

    def bits
      width = @random.rand(1..64)
      value = @random.rand(2**width)
      digits = format("%0#{width}b", value)
      @bits << (@order == :big ? digits : digits.reverse)
      @writer.write(value, width)
      padded = @bits.ljust((@bits.length + 7) / 8 * 8, "0")
      written = [padded].pack(@order == :big ? "B*" : "b*")
      same("write(#{value}, #{width})", -> { written }, -> { @writer.to_s })
      return if @bits.length < 500

      @writer = BitWriter.new(order: @order)
      @bits = +""
    end
  end
end
