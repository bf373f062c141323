# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "stringio"
require "zlib"

module Spate
  class ZlibGzipReaderTest < Minitest::Test
    TEXTS = ["", "a", "\n", "foo\nbar\nbaz", "\n\n\nabc\n\n\n\ndef\n\n", "日本語" * 5000,
             Array.new(3000) { |i| %W[foo äöü x\n \n\n #{i}][i % 5] }.join, Random.new(2).bytes(50_000)].freeze
    STEPS = [[:read], [:read, 0], [:read, 1], [:read, 5000], [:read, 100_000], [:gets], [:gets, nil], [:gets, 5],
             [:gets, "o"], [:gets, ""], [:gets, nil, 7], [:gets, "", 9], [:gets, 0], [:getc], [:getbyte], [:readline],
             [:ungetc, "zz"], [:ungetbyte, 65], [:ungetc, 66], [:readchar], [:readbyte], [:lineno], [:rewind], [:crc],
             [:pos], [:external_encoding]].freeze
    OPTIONS = [{}, { encoding: "UTF-8" }, { external_encoding: "BINARY" }, { encoding: "ISO-8859-1:UTF-8" },
               { external_encoding: "Shift_JIS" }].freeze

    def name_of(error) = [error.class.name.delete_prefix("Spate::"), error.message.gsub("Spate::", "")]

    # Returns the result of a step and the reader's position. For strings shorter than the separator, the encoding is
    # not compared, because Ruby's zlib loses it.
    def step(reader, name, arguments)
      value = reader.send(name, *arguments)
      value = [value.b, value.bytesize < 3 || value.encoding] if value.is_a?(String)
      [value, reader.pos]
    rescue StandardError => e
      name_of(e)
    end

    def test_same_steps_as_in_ruby
      random = Random.new(3)
      TEXTS.product(OPTIONS).each do |text, options|
        file = "#{::Zlib.gzip(text)}behind it"
        12.times do
          steps = Array.new(12) { STEPS.sample(random: random) }
          stock, own = [::Zlib, Zlib].map do |library|
            reader = library::GzipReader.new(StringIO.new(file), **options)
            steps.map { |name, *arguments| step(reader, name, arguments) }
          end
          assert_equal stock, own, "#{text[0, 20].inspect}, #{options}: #{steps}"
        end
      end
    end

    def outcome
      yield.b
    rescue StandardError => e
      name_of(e)
    end

    def test_cut_off_anywhere_and_any_bit_flipped
      file = ::Zlib.gzip("hello world " * 30)
      damaged = (0...file.bytesize).map { |length| file.byteslice(0, length) }
      file.bytesize.times do |at|
        8.times { |bit| damaged << file.dup.tap { |copy| copy.setbyte(at, file.getbyte(at) ^ (1 << bit)) } }
      end
      different = damaged.reject do |bytes|
        [->(library) { library::GzipReader.new(StringIO.new(bytes)).read }, ->(library) { library.gunzip(bytes) }]
          .all? { |way| outcome { way.call(::Zlib) } == outcome { way.call(Zlib) } }
      end
      # Ruby's zlib prints a signed byte. And libdeflate accepts the two length symbols that RFC 1951, 3.2.6 does not
      # use; the checksum detects wrong results.
      assert_operator different.size, :<=, 2
      different.each { |bytes| assert_includes [["hello world " * 30], "unknown flags 0x80"], outcome_of(bytes) }
    end

    def outcome_of(bytes)
      [Zlib.gunzip(bytes)]
    rescue Zlib::Error => e
      e.message
    end

    def test_input_of_an_error
      [::Zlib, Zlib].map do |library|
        error = assert_raises(library::GzipFile::Error) { library::GzipReader.new(StringIO.new("no gzip at all")) }
        assert_equal "no gzip at all", error.input
        assert_match(/GzipFile::Error: not in gzip format, input="no gzip at all">\z/, error.inspect)
      end
      assert_nil assert_raises(Zlib::GzipFile::Error) { Zlib::GzipReader.new(StringIO.new("")) }.input
    end

    def test_header
      io = StringIO.new
      writer = ::Zlib::GzipWriter.new(io, 9)
      writer.mtime = 1_000_000
      writer.orig_name = "näme"
      writer.comment = "a comment"
      writer.close
      [io.string, io.string.sub("\x18".b, "\x1c".b).insert(10, "\x03\0abc")].each do |file|
        reader = Zlib::GzipReader.new(StringIO.new(file))
        assert_equal ["näme".b, "a comment", Time.at(1_000_000), 9, ::Zlib::OS_CODE],
                     [reader.orig_name, reader.comment, reader.mtime, reader.level, reader.os_code]
        assert_equal "", reader.read
      end
    end

    # Reads from an object that has only `read` and returns one byte at a time, and from a pipe.
    def test_any_io
      text = TEXTS[6]
      file = ::Zlib.gzip(text)
      slow = Object.new
      slow.define_singleton_method(:read) { |_| file.slice!(0, 1).then { |byte| byte.empty? ? nil : byte } }
      assert_equal text.b, Zlib::GzipReader.new(slow).read.b
      reading, writing = IO.pipe
      writing.write(::Zlib.gzip("first"))
      assert_equal "first", Zlib::GzipReader.new(reading).read # does not wait for the pipe's end
      assert_raises(TypeError) { Zlib::GzipReader.new(Class.new { def read(_) = 5 }.new) }
      assert_raises(NoMethodError) { Zlib::GzipReader.new(nil) }
    ensure
      [reading, writing].compact.each(&:close)
    end

    def test_members
      file = ["one\n", "", "two\nthree"].map { |text| ::Zlib.gzip(text) }.join
      assert_equal "one\ntwo\nthree", Zlib::GzipReader.zcat(StringIO.new(file))
      lines = []
      assert_nil(Zlib::GzipReader.zcat(StringIO.new(file)) { |line| lines << line })
      assert_equal %W[one\n two\n three], lines
      reader = Zlib::GzipReader.new(StringIO.new(file))
      assert_nil reader.unused
      assert_equal "one\n", reader.read
      assert reader.eof?
      assert_equal ::Zlib.gzip("").bytesize + ::Zlib.gzip("two\nthree").bytesize, reader.unused.bytesize
    end

    def test_enumerators_without_a_block_equal_those_of_ruby
      file = ::Zlib.gzip("a,b\nc\n\nd,e")
      calls = [[], [","], [nil], ["", 3], [{ chomp: true }], [",", { chomp: true }]]
      calls.product(%i[each each_line]) do |given, name|
        options = given.last.is_a?(Hash) ? given.last : {}
        arguments = given - [options]
        ours, stock = [Zlib, ::Zlib].map do |zlib|
          zlib::GzipReader.new(StringIO.new(file)).public_send(name, *arguments, **options).to_a
        end
        assert_equal stock, ours, "#{name}(#{given.inspect})"
      end
    end

    def test_arguments_convert_to_integers_as_in_ruby
      file = ::Zlib.gzip("a,b\n")
      ["2", {}, [], :two, 2.7, 2**70].product(%i[gets read readpartial lineno=]) do |argument, name|
        given = name == :gets ? [nil, argument] : [argument]
        ours, stock = [Zlib, ::Zlib].map do |zlib|
          reader = zlib::GzipReader.new(StringIO.new(file))
          result = reader.public_send(name, *given)
          name == :lineno= ? reader.lineno : result
        rescue TypeError, RangeError => e
          [e.class, e.message[/\A.*(?:of|big)/]]
        end
        assert_equal stock, ours, "#{name}(#{argument.inspect})"
      end
    end

    def test_inspect_shows_no_content
      reader = Zlib::GzipReader.new(StringIO.new(::Zlib.gzip("secret" * 1000)))
      reader.getc
      assert_match(/\A#<Spate::Zlib::GzipReader:0x\h+>\z/, reader.inspect)
    end

    def test_files
      path = write("text.gz", ::Zlib.gzip("line\n" * 1000))
      assert_equal 1000, Zlib::GzipReader.open(path) { |reader| reader.each_line.count }
      io = File.open(path, "rb")
      reader = Zlib::GzipReader.wrap(io)
      assert_equal [path, io, false], [reader.path, reader.to_io, reader.sync]
      assert_same io, reader.finish
      refute io.closed?
      assert_raises(Zlib::GzipFile::Error) { reader.read }
      assert_nil reader.close
      assert_raises(NoMethodError) { Zlib::GzipReader.new(StringIO.new(::Zlib.gzip(""))).path }
      refute_respond_to Zlib::GzipReader.new(StringIO.new(::Zlib.gzip(""))), :path
      nameless = StringIO.new
      nameless.define_singleton_method(:path) { nil } # like an IO without a path from Ruby 3.2 on
      assert_nil Zlib::GzipWriter.new(nameless).path
      assert_respond_to Zlib::GzipWriter.new(nameless), :path
      bad = write("bad.gz", "bad")
      before = Dir.children("/proc/self/fd").size
      assert_raises(Zlib::GzipFile::Error) { Zlib::GzipReader.open(bad) }
      assert_operator Dir.children("/proc/self/fd").size, :<=, before + 1 # the folder itself
      io.close
    end

    def test_limit
      bomb = ::Zlib.gzip("\0" * 50_000_000)
      [StringIO.new(bomb), IO.popen(["cat", write("bomb.gz", bomb)])].each do |io|
        reader = Zlib::GzipReader.new(io, max_output: 1_000_000)
        assert_raises(Zlib::OutputLimitError) { reader.read }
      end
      assert_raises(Zlib::OutputLimitError) { Zlib.gunzip(bomb, max_output: 49_999_999) }
      assert_equal 50_000_000, Zlib.gunzip(bomb, max_output: 50_000_000).bytesize
    end

    def test_last_line
      reader = Zlib::GzipReader.new(StringIO.new(::Zlib.gzip("one\ntwo\n")))
      reader.gets
      assert_equal "one\n", $_
      reader.readline
      assert_equal "two\n", $_
    end

    def test_readpartial
      reader = Zlib::GzipReader.new(StringIO.new(::Zlib.gzip("some text")))
      buffer = +"old"
      assert_same buffer, reader.readpartial(4, buffer)
      assert_equal "some", buffer
      assert_equal " text", reader.readpartial(100)
      assert_raises(EOFError) { reader.readpartial(1, buffer) }
      assert_equal "", buffer
      assert_raises(ArgumentError) { reader.readpartial(-1) }
      assert_raises(TypeError) { reader.readpartial(1, 5) }
    end

    def test_read_into_a_string
      reader = Zlib::GzipReader.new(StringIO.new(Zlib.gzip("some text")))
      buffer = +"before"
      assert_same buffer, reader.read(4, buffer)
      assert_equal "some", buffer
      assert_same buffer, reader.read(nil, buffer)
      assert_equal " text", buffer
      assert_nil reader.read(1, buffer)
      assert_equal "", buffer
      assert_raises(FrozenError) { reader.tap(&:rewind).read(1, "frozen") }
      assert_raises(TypeError) { reader.read(1, 5) }
    end

    # Reading in small pieces needs little memory, regardless of the total size.
    def test_a_bomb_read_in_pieces
      bomb = Zlib.gzip("\0" * 300_000_000) * 2
      reader = Zlib::GzipReader.new(StringIO.new(bomb))
      resident = -> { Integer(File.read("/proc/self/status")[/^VmRSS:\s+(\d+)/, 1]) }
      before = resident.call
      40.times { assert_equal 1_500_000, reader.read(1_500_000).bytesize }
      assert_equal "\0", reader.getc
      assert_equal 60_000_001, reader.pos
      assert_operator resident.call - before, :<, 60_000
      reader.rewind
      length = 0
      length += reader.readpartial(1 << 20).bytesize until reader.eof?
      assert_equal 300_000_000, length
      assert bomb.byteslice((bomb.bytesize / 2)..).start_with?(reader.unused)
    end

    # Pushes back more bytes than were read, which crashes Ruby's zlib.
    def test_pushing_back_many_bytes
      reader = Zlib::GzipReader.new(StringIO.new(Zlib.gzip("abc")))
      reader.ungetc("x" * 100_000)
      assert_equal ["x" * 100_000, "abc"], [reader.read(100_000), reader.read]
      assert_raises(TypeError) { reader.ungetc(nil) }
    end

    # eof? reads from the IO if no data is buffered, as in Ruby's zlib from 3.2 on.
    def test_eof_without_buffered_data
      empty = Zlib::GzipReader.new(StringIO.new(Zlib.gzip("")))
      assert_equal [0, true, "", true], [empty.rewind, empty.eof?, empty.read, empty.eof?]
      cut = Zlib::GzipReader.new(StringIO.new(Zlib.gzip("a" * 60_000).byteslice(0, 12)))
      assert_raises(Zlib::GzipFile::Error) { cut.eof? }
    end

    def test_rewind_after_half_a_footer
      reader = Zlib::GzipReader.new(StringIO.new(Zlib.gzip("abc").byteslice(0..-4)))
      assert_equal "abc", reader.read(3)
      assert_raises(Zlib::GzipFile::NoFooter) { reader.read }
      reader.rewind
      assert_equal "abc", reader.read(3)
    end

    def test_in_a_ractor
      before = Warning[:experimental]
      Warning[:experimental] = false
      ractor = Ractor.new(Zlib.gzip("one\ntwo\n\nthree")) do |bytes|
        reader = Zlib::GzipReader.new(StringIO.new(bytes))
        [reader.gets, reader.gets(2), reader.getc, reader.getbyte, reader.read]
      end
      found = ractor.respond_to?(:value) ? ractor.value : ractor.take
      assert_equal ["one\n", "tw", "o", 10, "\nthree"], found
    ensure
      Warning[:experimental] = before
    end
  end
end
