# frozen_string_literal: true

require "stringio"

module Spate
  # The part of the model that reads and writes formats: bit fields, integers of variable length, hex and base64,
  # frames, and the interface of the gem arraybuffer. Each operation creates its own data.
  module BytesModelCodecs
    OPERATIONS = %i[read_bits variable_length from_hex from_base64 into_a_short_array frame window old_view].freeze

    private

    # ---- Bits ----

    def read_bits
      bytes = @random.bytes(@random.rand(40))
      order = %i[big little].sample(random: @random)
      @reader = BitReader.new(source_of(bytes), order: order)
      @digits = bytes.unpack1(order == :big ? "B*" : "b*")
      @reads_little = order == :little
      @at = 0
      moves = %i[read_field read_some_bytes skip_bits align_bits go_back]
      @random.rand(1..12).times { send(moves.sample(random: @random)) }
    end

    # Returns the bytes as a String, a buffer, a view of a larger buffer, or an IO that returns few bytes at a time.
    def source_of(bytes, ways = 5)
      case @random.rand(ways)
      when 0 then bytes
      when 1 then ArrayBuffer.from(bytes)
      when 2 then DataView.new(ArrayBuffer.from("xyz#{bytes}!".b), 3, bytes.bytesize)
      when 3 then Uint8Array.new(ArrayBuffer.from("x#{bytes}".b), 1)
      else trickle(bytes)
      end
    end

    def trickle(bytes)
      io = StringIO.new(bytes)
      io.define_singleton_method(:readpartial) { |_| super(7) }
      io
    end

    def digits(count)
      raise EOFError if count > @digits.length - @at

      @digits[@at, count].then { |text| @reads_little ? text.reverse : text }
    end

    def field(width, signed)
      value = digits(width).to_i(2)
      signed && value[width - 1] == 1 ? value - (1 << width) : value
    end

    def read_field
      width = @random.rand(1..64)
      method = %i[read read_signed peek].sample(random: @random)
      same("#{method}(#{width}) at #{@at}",
           lambda {
             value = field(width, method == :read_signed)
             @at += width unless method == :peek
             value
           },
           -> { @reader.public_send(method, width) })
      same("position", -> { @at }, -> { @reader.position })
    end

    def read_some_bytes
      count = @random.rand(12)
      same("read_bytes(#{count}) at #{@at}",
           lambda {
             raise EOFError if count * 8 > @digits.length - @at

             text = @digits[@at, count * 8]
             @at += count * 8
             [text].pack(@reads_little ? "b*" : "B*")
           },
           -> { @reader.read_bytes(count) })
    end

    def skip_bits
      count = @random.rand([@digits.length - @at + 1, 90].min)
      @at += count
      @reader.skip(count)
    end

    def align_bits
      to = @random.rand(1..40)
      missing = -@at % to
      return if missing > @digits.length - @at

      @at += missing
      same("align(#{to})", -> { missing }, -> { @reader.align(to) })
    end

    def go_back
      mark = @reader.mark
      @random.rand(3).times { read_field }
      @at = mark
      @reader.reset(mark)
      @reader.forget_marks if @random.rand(2).zero?
    end

    # ---- Integers of variable length ----

    def variable_length
      number = @random.rand(1 << @random.rand(1..64))
      prefix = @random.rand(1..8)
      lead = @random.rand(2) * (8 - prefix)
      expected = { uleb128: uleb128(number), sleb128: sleb128(number >> 1), hpack: hpack(number, prefix),
                   quic: quic(number >> 2) }
      numbers = { uleb128: number, sleb128: number >> 1, hpack: number, quic: number >> 2 }
      kind = expected.keys.sample(random: @random)
      there_and_back(kind, numbers.fetch(kind), kind == :hpack ? [prefix] : [], lead, expected.fetch(kind))
    end

    def there_and_back(kind, number, rest, lead, expected)
      writer = BitWriter.new
      writer.write(0, lead) if lead.positive?
      same("write_#{kind}(#{number}, #{rest})", -> { ("0" * lead) + expected },
           -> { writer.public_send("write_#{kind}", number, *rest).to_s.unpack1("B*")[0, writer.position] })
      same("read_#{kind}", -> { number },
           -> { BitReader.new(source_of(writer.to_s)).skip(lead).public_send("read_#{kind}", *rest) })
      cut = writer.to_s[0...-1]
      same("read_#{kind} of too little", -> { EOFError },
           -> { BitReader.new(source_of(cut)).skip([lead, cut.length * 8].min).public_send("read_#{kind}", *rest) })
    end

    def uleb128(number)
      pieces = [number & 127]
      pieces << (number & 127) while (number >>= 7).positive?
      pieces.each_with_index.map { |piece, i| format("%08b", i == pieces.length - 1 ? piece : piece + 128) }.join
    end

    def sleb128(number)
      text = uleb128(number)
      text[-7] == "1" ? "#{text[0...-8]}1#{text[-7..]}00000000" : text
    end

    def hpack(number, prefix)
      most = (1 << prefix) - 1
      return format("%0#{prefix}b", number) if number < most

      format("%0#{prefix}b", most) + uleb128(number - most)
    end

    def quic(number)
      size = [6, 14, 30, 62].index { |bits| number < 1 << bits }
      format("%02b%0#{(8 << size) - 2}b", size, number)
    end

    # ---- Text ----

    def damaged(text)
      @random.rand(3).times do
        character = ["=", " ", "\n", "A", "g", "!", "-", "\xE9".b].sample(random: @random)
        text.insert(@random.rand(text.length + 1), character)
      end
      text = text[0, @random.rand(text.length + 1)] if @random.rand(4).zero?
      text
    end

    def from_hex
      text = damaged(@random.bytes(@random.rand(9)).unpack1("H*").b)
      text = text.upcase if @random.rand(2).zero?
      same("from_hex(#{text.inspect})",
           -> { text.match?(/\A(\h\h)*\z/n) ? [text].pack("H*") : raise(ArgumentError) },
           -> { Uint8Array.from_hex(text).bytes })
    end

    # Valid final chunks, by the value of last_chunk_handling.
    RESTS = { "loose" => /|dd|ddd|dd==|ddd=/, "strict" => /|d[AQgw]==|dd[AEIMQUYcgkosw048]=/,
              "stop-before-partial" => /|d|dd|ddd|dd=|dd==|ddd=/ }
            .transform_values { |form| Regexp.new(form.source.gsub("d", "[^=]"), Regexp::NOENCODING) }.freeze

    def base64(text, last)
      packed = text.delete(" \t\n\f\r")
      whole = packed[%r{\A(?:[A-Za-z0-9+/]{4})*}n]
      rest = packed[whole.length..]
      raise ArgumentError unless rest.match?(%r{\A[A-Za-z0-9+/]*=*\z}n) && rest.match?(/\A(?:#{RESTS.fetch(last)})\z/n)

      rest = "" if last == "stop-before-partial" && rest.length < 4
      (whole + rest).unpack1("m")
    end

    def from_base64
      text = damaged([@random.bytes(@random.rand(12))].pack("m0").b)
      text = text.delete("=") if @random.rand(3).zero?
      last = RESTS.keys.sample(random: @random)
      same("from_base64(#{text.inspect}, #{last})", -> { base64(text, last) },
           -> { Uint8Array.from_base64(text, last_chunk_handling: last).bytes })
    end

    # Decodes whole chunks of three bytes, and the last chunk if it fits.
    def into_a_short_array
      bytes = @random.bytes(@random.rand(12))
      room = @random.rand(12)
      written = bytes.length <= room ? bytes.length : room / 3 * 3
      array = Uint8Array.new(room)
      text = [bytes].pack("m0")
      same("set_from_base64(#{text.inspect}) into #{room}",
           -> { [written, bytes[0, written] + "\0" * (room - written)] },
           -> { [array.set_from_base64(text).fetch(:written), array.bytes] })
      same("set_from_hex into #{room}", -> { [bytes.length, room].min },
           -> { Uint8Array.new(room).set_from_hex(bytes.unpack1("H*")).fetch(:written) })
    end

    # ---- Frames ----

    def frame
      payload = @random.bytes(@random.rand(30))
      fields = [payload.bytesize, @random.rand(256), @random.rand(256), @random.rand(2**31)]
      whole = [fields[0] >> 16, fields[0] & 0xffff, *fields[1..]].pack("CnCCN") + payload
      same("Wire.frame", -> { whole }, -> { Wire.frame(*fields[1..], payload) })
      index = offset
      target, base = [[@buffer, 0], [@view, @window]].sample(random: @random)
      same("write_frame at #{index}",
           lambda {
             raise IndexError if index.negative?
             raise TypeError if base > @bytes.length
             raise IndexError if index + whole.length > @bytes.length - base

             @bytes[base + index, whole.length] = whole.bytes
             index + whole.length
           },
           -> { Wire.write_frame(target, index, *fields[1..], source_of(payload, 3)) })
      bytes_equal("write_frame")
      same("read_frame_header", -> { fields }, -> { Wire.read_frame_header(source_bytes(whole), 1, Array.new(4, 0)) })
    end

    def source_bytes(bytes) = [".#{bytes}".b, ArrayBuffer.from(".#{bytes}".b)].sample(random: @random)

    # ---- Windows of the buffer ----

    def window
      width = [1, 2, 4, 8].sample(random: @random)
      type, letter = { 1 => [Int8Array, "c"], 2 => [Uint16Array, "S"], 4 => [Int32Array, "l"],
                       8 => [BigUint64Array, "Q"] }.fetch(width)
      from = @random.rand(BytesModel::MOST)
      count = @random.rand(8)
      array = nil
      same("#{type}.new(buffer, #{from}, #{count})",
           lambda {
             raise RangeError if from % width != 0
             raise IndexError if from + count * width > @bytes.length

             @bytes[from, count * width].pack("C*").unpack("#{letter}*")
           },
           -> { (array = type.new(@buffer, from, count)).to_a })
      return unless array

      values = Array.new(@random.rand(5)) { @random.rand(2**62) }
      to = @random.rand(5)
      model = lambda do
        raise IndexError if to + values.length > count

        part = values.flat_map { |value| [value].pack("Q").bytes.first(width) }
        @bytes[from + to * width, part.length] = part
        nil
      end
      same("set(#{values}, #{to})", model, -> { array.set(values, to) }) if [1].pack("S") == "\1\0".b
      bytes_equal("set of a window")
    end

    # ---- The gem's interface ----

    def old_view
      bytes = @random.bytes(@random.rand(1..12))
      buffer = Compat::ArrayBuffer.new(bytes.bytesize)
      from = @random.rand(bytes.bytesize)
      view = Compat::DataView.new(buffer, 0, endianess: (order = %i[big little].sample(random: @random)))
      view.setBytes(0, bytes)
      view.offset = from
      width = @random.rand(1..4)
      at = @random.rand(16)
      model = lambda do
        raise ArgumentError if at >= bytes.bytesize || from + at + width > bytes.bytesize

        part = bytes[from + at, width].bytes
        (order == :big ? part : part.reverse).inject(0) { |sum, byte| sum * 256 + byte }
      end
      same("getU#{width * 8}(#{at}) from #{from}", model, -> { view.public_send("getU#{width * 8}", at) })
      same("to_s", -> { bytes[from..] }, -> { view.to_s })
    end
  end
end
