# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "spate/zlib"
require "zlib"

module Spate
  # For invalid input Spate raises the same class and message as the stock library, and memory stays intact.
  class ZlibHostileTest < Minitest::Test
    TEXT = ((0..300).map { |i| "line #{i * i % 97}\n" }.join + Random.new(3).bytes(600)).b.freeze
    PACKED = ::Zlib.deflate(TEXT).freeze
    RAW = PACKED.byteslice(2..-5).freeze
    GZIP = ::Zlib.gzip(TEXT, level: 9).freeze

    # Returns the result of a call or the error that it raises, without the name of the library.
    def outcome
      yield
    rescue StandardError => e
      [e.class.name.delete_prefix("Spate::"), e.message]
    end

    # Compares a stream with these wbits, or a call for the whole.
    def assert_same_outcome(bytes, wbits = nil)
      stock, ours = [::Zlib, Zlib].map do |zlib|
        outcome { wbits ? stream(zlib, bytes, wbits) : zlib.inflate(bytes) }
      end
      same = stock == ours || (wbits.nil? && ours == TEXT)
      assert same, "#{bytes.inspect[0, 100]}: #{stock.inspect[0, 100]} expected, #{ours.inspect[0, 100]} found"
    end

    def stream(zlib, bytes, wbits)
      inflate = zlib::Inflate.new(wbits)
      [inflate.inflate(bytes), inflate.finish]
    ensure
      inflate&.close
    end

    def test_cut_off_at_every_byte
      PACKED.bytesize.times do |length|
        assert_same_outcome PACKED.byteslice(0, length)
        assert_same_outcome PACKED.byteslice(0, length), 15
      end
      RAW.bytesize.times { |length| assert_same_outcome RAW.byteslice(0, length), -15 }
      GZIP.bytesize.times { |length| assert_same_outcome GZIP.byteslice(0, length), 31 }
    end

    # libdeflate accepts some streams that zlib rejects, with an unused length code of RFC 1951 or an incomplete code.
    # The checksum proves that the text is correct.
    def test_every_bit_flipped
      (PACKED.bytesize * 8).times do |bit|
        flipped = PACKED.dup
        flipped.setbyte(bit / 8, flipped.getbyte(bit / 8) ^ (1 << (bit % 8)))
        assert_same_outcome flipped
        assert_same_outcome flipped, 15 if (bit % 3).zero?
      end
      (GZIP.bytesize * 8).times.select { |bit| bit < 100 || (bit % 7).zero? }.each do |bit|
        flipped = GZIP.dup
        flipped.setbyte(bit / 8, flipped.getbyte(bit / 8) ^ (1 << (bit % 8)))
        assert_same_outcome flipped, 31
      end
    end

    def test_wrong_headers_and_sums
      wrong = {
        "a window of 64 KB" => "\x88\x1c", "method 9" => "\x79\x9c", "no check" => "\x78\x9d", "gzip" => "\x1f\x8b\x08",
        "nothing" => "", "text" => "plain text", "zeros" => "\0" * 100, "a dictionary" => "\x78\xbb\0\0\0\0"
      }
      wrong.each_value do |head|
        assert_same_outcome head.b
        assert_same_outcome head.b + RAW
        assert_same_outcome head.b, 15
      end
      sums = ["#{PACKED[0..-2]}\u0000", "#{PACKED[0..-5]}abcd", "#{PACKED}rest", PACKED + PACKED,
              GZIP[0..-9] + ("\0" * 8)]
      sums.each do |bytes|
        assert_same_outcome bytes
        assert_same_outcome bytes, 15
        assert_same_outcome bytes, 31
      end
      large = ::Zlib.deflate(TEXT * 500)
      assert_same_outcome "#{large[0..-2]}\u0000"
      assert_same_outcome large[0..-2]
      assert_same_outcome large.byteslice(0, 100_000) + Random.new(1).bytes(100_000)
    end

    # The header declares a smaller window than the distances need, which zlib accepts.
    def test_header_with_too_small_a_window
      far = Random.new(4).bytes(5000)
      packed = ::Zlib.deflate(far + ("x" * 2000) + far, 9)
      packed.setbyte(0, 0x18) # 512 bytes
      packed.setbyte(1, 0x19)
      assert_same_outcome packed
      assert_same_outcome packed, 15
      assert_same_outcome packed, 9
    end

    def test_a_bomb_under_a_limit
      zeros = ::Zlib::Deflate.new(9)
      bomb = +"".b
      200.times { bomb << zeros.deflate("\0" * 1_000_000) }
      bomb << zeros.finish
      assert_operator bomb.bytesize, :<, 250_000
      before = resident
      10.times do
        assert_raises(Zlib::OutputLimitError) { Zlib.inflate(bomb, max_output: 5_000_000) }
        assert_raises(Zlib::OutputLimitError) { Zlib::Inflate.new(max_output: 5_000_000).inflate(bomb) }
        assert_raises(Zlib::OutputLimitError) { Zlib::Inflate.new.inflate(bomb, max_output: 5_000_000) }
        assert_raises(Zlib::OutputLimitError) { Zlib.inflate(bomb, max_output: 5_000_000) { nil } }
      end
      assert_operator resident - before, :<, 60_000_000
    end

    # Ten million bytes inflate to ten billion.
    def test_a_bomb_of_ten_gigabytes
      skip "10 MB that inflate to 10 GB: --full" unless ENV["SPATE_TEST_FULL"]

      zeros = ::Zlib::Deflate.new(9)
      bomb = Array.new(1000) { zeros.deflate("\0" * 10_000_000) }.join + zeros.finish
      assert_raises(Zlib::OutputLimitError) { Zlib.inflate(bomb, max_output: 1_000_000_000) }
      assert_raises(Zlib::OutputLimitError) { Zlib::Inflate.new(max_output: 100_000_000).inflate(bomb) }
    end

    def resident = Integer(File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1]) * 1024

    def test_strings_of_any_kind
      [PACKED.dup.force_encoding("UTF-8"), PACKED.dup.force_encoding("UTF-16LE"), "#{PACKED}x".byteslice(0..-2),
       Class.new(String).new(PACKED), PACKED.dup.freeze, Class.new { def to_str = PACKED }.new].each do |string|
        assert_equal TEXT, Zlib.inflate(string)
        assert_equal TEXT, Zlib::Inflate.new.inflate(string)
      end
      [nil, 1, :a, [], Object.new].each do |wrong|
        assert_raises(TypeError) { Zlib.inflate(wrong) }
        assert_raises(TypeError) { Zlib.deflate(wrong) }
        next if wrong.nil?

        assert_raises(TypeError) { Zlib::Inflate.new.inflate(wrong) }
        assert_raises(TypeError) { Zlib::Deflate.new << wrong }
      end
      utf16 = "Zürich".encode("UTF-16LE")
      assert_equal utf16.b, Zlib.inflate(Zlib.deflate(utf16))
    end

    # If another thread changes the String during the call, the result does not change.
    def test_strings_that_change_during_the_call
      text = Random.new(8).bytes(100_000) * 40
      packed = ::Zlib.deflate(text, 1)
      calls = [->(s) { Zlib.inflate(s) }, ->(s) { Zlib::Inflate.new.inflate(s) },
               ->(s) { ::Zlib.inflate(Zlib.deflate(s, 1)) },
               lambda { |s|
                 deflate = Zlib::Deflate.new(1)
                 ::Zlib.inflate(deflate.deflate(s, Zlib::FINISH))
               }, ->(s) { Zlib.crc32(s) }, ->(s) { Zlib.adler32(s) }]
      wanted = [text, text, packed, packed, Zlib.crc32(packed), Zlib.adler32(packed)]
      calls.zip(wanted) do |call, result|
        3.times do
          string = packed.dup
          thread = Thread.new { call.call(string) }
          Thread.pass
          string.replace("x" * 10)
          string << ("y" * 5_000_000)
          GC.start
          answer = begin
            thread.report_on_exception = false
            thread.value
          rescue Zlib::Error
            next # the call began after the change
          end
          assert_includes [result, string, Zlib.crc32(string), Zlib.adler32(string)], answer
        end
      end
    end

    def test_buffer_that_changes_during_the_call
      packed = ::Zlib.deflate("0" * 3_000_000)
      buffer = +""
      thread = Thread.new { Zlib::Inflate.new.inflate(packed, buffer: buffer) }
      10.times do
        buffer << "abc" rescue nil # rubocop:disable Style/RescueModifier
        buffer.clear
        Thread.pass
      end
      thread.join
      assert_equal "0" * 3_000_000, Zlib::Inflate.new.inflate(packed, buffer: buffer)
    end

    # Without memory for the output, the call raises an error, and the next call works.
    def test_out_of_memory
      script = <<~RUBY
        require "spate/zlib"
        limits = ->(bytes) { Process.setrlimit(Process::RLIMIT_AS, *bytes) }
        before = Process.getrlimit(Process::RLIMIT_AS)
        limits.call([1 << 44, before.last])
        abort "no limit" if Process.getrlimit(Process::RLIMIT_AS) == before # an emulator has none
        packed = Spate::Zlib.deflate("0" * 300_000_000)
        GC.start
        limits.call(Integer(File.read("/proc/self/status")[/^VmSize:\\s+(\\d+)/, 1]) * 1024 + 150_000_000)
        calls = [-> { Spate::Zlib.inflate(packed) }, -> { Spate::Zlib::Inflate.new.inflate(packed) },
                 -> { Spate::Zlib::Inflate.new << packed }]
        print(calls.map do |call|
          call.call
        rescue NoMemoryError
          Spate::Zlib.inflate(Spate::Zlib.deflate("good" * 1000)).size
        end.inspect)
      RUBY
      out, = Open3.capture2e(RbConfig.ruby, "-I#{File.expand_path("../../../lib", __dir__)}", "-e", script)
      skip "memory has no limit here" if out.start_with?("no limit")
      assert_equal "[4000, 4000, 4000]", out
    end

    def test_a_dictionary_that_is_missing
      deflate = ::Zlib::Deflate.new
      deflate.set_dictionary("foo")
      packed = deflate.deflate(TEXT, Zlib::FINISH)
      assert_equal ["Zlib::NeedDict", "need dictionary"], outcome { Zlib.inflate(packed) }
      assert_equal ["Zlib::NeedDict", "need dictionary"], outcome { Zlib::Inflate.new.inflate(packed) }
    end
  end
end
