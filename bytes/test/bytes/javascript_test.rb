# frozen_string_literal: true

require "test_helper"
require "spate/bytes"
require "json"
require "open3"

module Spate
  # DataView and the typed arrays store numbers as JavaScript does: the same numbers, stored in the same types by Node,
  # must have equal bytes and values.
  class BytesJavascriptTest < Minitest::Test
    INTEGERS = [0, 1, -1, 2, 127, 128, 255, 256, -128, -129, 32_767, 32_768, 65_535, 65_536, 2**31 - 1, 2**31,
                2**32 - 1, 2**32, -(2**31), -(2**31) - 1, 2**53 - 1, -(2**53) + 1].freeze
    BIG_INTEGERS = (INTEGERS + [2**63 - 1, 2**63, 2**64 - 1, 2**64, -(2**63), -(2**63) - 1, 2**100 + 3,
                                -(2**100)]).freeze
    FLOATS = [0.5, 1.5, 2.5, -0.5, -1.5, 254.5, 255.5, 1e-3, 0.1, 1e10, 1e20, -1e20, 1e300, 5e-324, Float::MIN,
              1.1754943508222875e-38, 1.401298464324817e-45, 7.006492321624085e-46, 7.006492321624086e-46,
              3.4028234663852886e38, 3.4028235677973366e38, 3.4028235677973362e38, 3.5e38, 65_504.0, 65_519.99,
              65_520.0, 6.103515625e-05, 5.960464477539063e-08, 2.9802322387695312e-08, 2.980232238769532e-08,
              1.0009765625, 1.00048828125, 1.000488281250001, 2049.0, 2051.0, Math::PI, -0.0].freeze
    SPECIAL = { "NaN" => Float::NAN, "Infinity" => Float::INFINITY, "-Infinity" => -Float::INFINITY }.freeze

    TYPES = %w[Int8 Uint8 Int16 Uint16 Int32 Uint32 Float16 Float32 Float64 Uint8Clamped].freeze
    BIG_TYPES = %w[BigInt64 BigUint64].freeze

    # Older versions of Node have no Float16. The script then searches the nearest of all 65,536 half floats, ties to
    # even.
    SCRIPT = <<~JS
      const widths = {Float16: 2}
      const half = bits => {
        const e = bits >> 10 & 31, f = bits & 1023, s = bits >> 15 ? -1 : 1
        return s * (e === 0 ? f * 2 ** -24 : e === 31 ? (f ? NaN : Infinity) : (1 + f / 1024) * 2 ** (e - 15))
      }
      const halfOf = x => {
        if (Number.isNaN(x)) return 0x7e00
        const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0, y = Math.abs(x)
        for (let bits = 0; bits < 0x7c00; bits++) {
          const low = half(bits), high = bits === 0x7bff ? 65536 : half(bits + 1), middle = (low + high) / 2
          if (y < middle || (y === middle && bits % 2 === 0)) return sign | bits
          if (y < high && bits + 1 < 0x7c00) return sign | (bits + 1)
        }
        return sign | 0x7c00
      }
      const show = x => typeof x === "bigint" ? x.toString() : Object.is(x, -0) ? "-0" : String(x)
      const row = (type, x) => {
        if (type === "Float16") {
          const bits = halfOf(x)
          return [(bits >> 8).toString(16).padStart(2, "0") + (bits & 255).toString(16).padStart(2, "0"), show(half(bits))]
        }
        const array = new globalThis[type + "Array"]([x])
        const bytes = [...new Uint8Array(array.buffer)].reverse()
        return [bytes.map(b => b.toString(16).padStart(2, "0")).join(""), show(array[0])]
      }
      const {types, bigTypes, numbers, bigs} = JSON.parse(require("fs").readFileSync(0, "utf8"))
      const table = {}
      for (const type of types) table[type] = numbers.map(x => row(type, Number(x)))
      for (const type of bigTypes) table[type] = bigs.map(x => row(type, BigInt(x)))
      console.log(JSON.stringify(table))
    JS

    def numbers = INTEGERS + FLOATS + SPECIAL.values

    def spell(number)
      SPECIAL.key(number) || (number.is_a?(Float) && number.nan? ? "NaN" : number.to_s)
    end

    def table
      question = { types: TYPES, bigTypes: BIG_TYPES, numbers: numbers.map do |n|
                                                                 spell(n)
                                                               end, bigs: BIG_INTEGERS.map(&:to_s) }
      answer, status = Open3.capture2("node", "-e", SCRIPT, stdin_data: JSON.generate(question))
      assert_predicate status, :success?
      JSON.parse(answer)
    end

    def number_of(text, type) = SPECIAL[text] || (type.start_with?("Big") ? Integer(text) : Float(text))

    def same?(mine, theirs)
      return mine.nan? if theirs.is_a?(Float) && theirs.nan?

      mine == theirs && (!mine.is_a?(Float) || mine.to_s == theirs.to_s)
    end

    def test_bytes_and_numbers_equal_those_of_javascript
      skip "node is not installed (Debian: nodejs)" unless system("node", "--version", out: File::NULL, err: File::NULL)

      answers = table
      TYPES.each { |type| compare(type, numbers, answers.fetch(type)) }
      BIG_TYPES.each { |type| compare(type, BIG_INTEGERS, answers.fetch(type)) }
    end

    def compare(type, numbers, rows)
      assert_equal numbers.length, rows.length
      numbers.zip(rows) do |number, (hex, text)|
        array = Spate.const_get("#{type}Array").new([number])
        unless number.is_a?(Float) && number.nan?
          assert_equal hex, array.bytes.reverse.unpack1("H*"),
                       "#{number} as #{type}"
        end
        assert same?(array[0], number_of(text, type)), "#{number} as #{type}: #{array[0]}, in JavaScript #{text}"
        through_a_view(type, number, hex) unless type == "Uint8Clamped"
      end
    end

    def through_a_view(type, number, hex)
      view = DataView.new(ArrayBuffer.new(8))
      view.public_send("set#{type}", 0, number)
      bytes = view.get_bytes(0, hex.length / 2)
      assert_equal hex, bytes.unpack1("H*"), "#{number} as #{type}" unless number.is_a?(Float) && number.nan?
    end
  end
end
