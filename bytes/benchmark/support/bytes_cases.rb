# frozen_string_literal: true

module Benchmark
  # The measured cases. before: setup code. turn: the body of the loop, in which i is the loop counter. operations:
  # number of operations in one turn.
  module BytesCases
    Case = Struct.new(:group, :name, :before, :turn, :operations, keyword_init: true)

    SPATE = 'require "spate/bytes"; include Spate'
    PAYLOAD = 'payload = ("x" * 16_384).b'
    GEM = 'require "arraybuffer"'

    module_function

    def all = frames + new_frames + headers + bits + seed + numbers

    def make(group, name, before, turn, operations: 1)
      Case.new(group: group, name: name, before: before, turn: turn, operations: operations)
    end

    def frames
      group = "16 KiB frame into a reused buffer"
      [make(group, "Spate, one call", "#{SPATE}; #{PAYLOAD}; b = ArrayBuffer.new(20_000)",
            "Wire.write_frame(b, 0, 0, 1, 1, payload)"),
       make(group, "Spate, DataView", "#{SPATE}; #{PAYLOAD}; b = DataView.new(ArrayBuffer.new(20_000))",
            "b.set_uint24_be(0, 16_384); b.set_uint8(3, 0); b.set_uint8(4, 1); b.set_uint32_be(5, 1); " \
            "b.set_bytes(9, payload)"),
       make(group, "IO::Buffer", "#{PAYLOAD}; b = IO::Buffer.new(20_000)",
            "b.set_value(:U8, 0, 0); b.set_value(:U16, 1, 16_384); b.set_value(:U8, 3, 0); b.set_value(:U8, 4, 1); " \
            "b.set_value(:U32, 5, 1); b.set_string(payload, 9)"),
       make(group, "String, pack(buffer:)", "#{PAYLOAD}; b = String.new(capacity: 20_000)",
            '[0, 16_384, 0, 1, 1].pack("CnCCN", buffer: b.clear); b << payload'),
       make(group, "gem arraybuffer", "#{GEM}; #{PAYLOAD}; v = DataView.new(ArrayBuffer.new(20_000))",
            "v.setU24(0, 16_384); v.setU8(3, 0); v.setU8(4, 1); v.setU32(5, 1); v.setBytes(9, payload)"),
       make(group, "bytes in an Array", "#{PAYLOAD}; bytes = payload.unpack('C*')",
            "f = [0, 64, 0, 0, 1, 0, 0, 0, 1]; f.concat(bytes); f.pack('C*')")]
    end

    def new_frames
      group = "16 KiB frame as a new String"
      [make(group, "Spate", "#{SPATE}; #{PAYLOAD}", "Wire.frame(0, 1, 1, payload)"),
       make(group, "String", PAYLOAD, '[0, 16_384, 0, 1, 1].pack("CnCCN") << payload'),
       make(group, "String with capacity", PAYLOAD,
            '[0, 16_384, 0, 1, 1].pack("CnCCN", buffer: String.new(capacity: 16_393)) << payload')]
    end

    def headers
      group = "frame header parsed"
      [make(group, "Spate, one call", "#{SPATE}; b = ArrayBuffer.from(Wire.frame(0, 1, 5, 'a')); fields = [0] * 4",
            "Wire.read_frame_header(b, 0, fields)"),
       make(group, "String", 's = [0, 3, 0, 1, 5].pack("CnCCN")',
            's.unpack("CnCCN")'),
       make(group, "IO::Buffer", "b = IO::Buffer.new(9)",
            "b.get_value(:U8, 0); b.get_value(:U16, 1); b.get_value(:U8, 3); b.get_value(:U8, 4); " \
            "b.get_value(:U32, 5)")]
    end

    def bits
      group = "a million 5-bit fields, each"
      plain = "out = String.new; acc = n = j = 0; while j < 10_000; acc = acc << 5 | v[j]; n += 5; " \
              "while n >= 8; n -= 8; out << (acc >> n & 255); acc &= (1 << n) - 1; end; j += 1; end"
      values = "v = Array.new(10_000) { |x| x % 32 }"
      [make(group, "Spate, write_all", "#{SPATE}; #{values}", "BitWriter.new.write_all(v, 5)", operations: 10_000),
       make(group, "Spate, one by one", "#{SPATE}; #{values}",
            "w = BitWriter.new; j = 0; while j < 10_000; w.write(v[j], 5); j += 1; end", operations: 10_000),
       make(group, "plain Ruby", values, plain, operations: 10_000)]
    end

    # The case that this project started with: a file is copied through Arrays of bytes.
    def seed
      group = "16 KiB through bytes and back (the seed's two loops)"
      [make(group, "Spate",
            "#{SPATE}; #{PAYLOAD}; v = DataView.new(ArrayBuffer.new(16_384)); out = Uint8Array.new(16_384)",
            "v.set_bytes(0, payload); out.set_bytes(0, v)"),
       make(group, 'unpack("C*") and pack("C*")', PAYLOAD, "payload.unpack('C*').pack('C*')")]
    end

    def numbers
      view = "#{SPATE}; v = DataView.new(ArrayBuffer.new(64))"
      integers = %w[int8 uint8 int16_be uint16_le uint24_be int32_le uint32_be big_int64_be big_uint64_le]
      floats = %w[float16_be float32_le float64_be]
      gets = (integers + floats).map { |type| make("DataView, one number", "get_#{type}", view, "v.get_#{type}(8)") }
      sets = integers.map { |type| make("DataView, one number", "set_#{type}", view, "v.set_#{type}(8, 7)") } +
             floats.map { |type| make("DataView, one number", "set_#{type}", view, "v.set_#{type}(8, 1.5)") }
      others = [["getUint32(offset, true)", "v.getUint32(8, true)"], ["get_uint32(offset)", "v.get_uint32(8)"],
                ["get_uint32, little_endian: true", "v.get_uint32(8, little_endian: true)"],
                ["set_uint32, little_endian: true", "v.set_uint32(8, 7, little_endian: true)"]]
      gets + sets + others.map { |name, turn| make("DataView, one number", name, view, turn) } + arrays + floor
    end

    def arrays
      %w[Uint8 Int32 BigInt64 Float64].flat_map do |type|
        before = "#{SPATE}; a = #{type}Array.new(64)"
        [make("typed array, one number", "#{type}Array[]", before, "a[8]"),
         make("typed array, one number", "#{type}Array[]=", before, "a[8] = 7")]
      end
    end

    # The minimum cost: a call of a C method with one small argument.
    def floor
      [make("the floor: a call of Ruby's own", "String#getbyte", 's = "x" * 64', "s.getbyte(8)"),
       make("the floor: a call of Ruby's own", "String#setbyte", 's = "x" * 64', "s.setbyte(8, 7)"),
       make("the floor: a call of Ruby's own", "Array#at", "a = Array.new(64, 1)", "a.at(8)"),
       make("the floor: a call of Ruby's own", "gem arraybuffer, getU32",
            "#{GEM}; v = DataView.new(ArrayBuffer.new(64))", "v.getU32(8)"),
       make("the floor: a call of Ruby's own", "IO::Buffer, get_value(:U32)", "b = IO::Buffer.new(64)",
            "b.get_value(:U32, 8)")]
    end
  end
end
