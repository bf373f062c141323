# frozen_string_literal: true

require "test_helper"
require "spate/zlib"
require "stringio"
require "zlib"

module Spate
  class ZlibGzipWriterTest < Minitest::Test
    def written(*arguments, **options)
      io = StringIO.new("".b)
      writer = Zlib::GzipWriter.new(io, *arguments, **options)
      yield writer
      writer.close
      io.string
    end

    def test_random_writes_are_what_was_given
      random = Random.new(5)
      40.times do
        text = +""
        file = written([nil, 0, 1, 6, 9].sample(random: random), [nil, 1, 2, 3, 4].sample(random: random)) do |writer|
          random.rand(1..30).times do
            piece = random.bytes(random.rand(6000)) * random.rand(3)
            assert_equal piece.bytesize, writer.write(piece)
            text << piece.force_encoding("UTF-8")
            flush = [nil, ::Zlib::FULL_FLUSH, ::Zlib::NO_FLUSH].sample(random: random)
            writer.flush(flush) if piece != "" && random.rand(4) == 0 # a flush without new data raises BufError
            assert_equal [text.bytesize, ::Zlib.crc32(text)], [writer.pos, writer.crc]
          end
        end
        assert_equal text.b, ::Zlib.gunzip(file)
      end
    end

    # The bytes equal those of Ruby's writer, independently of the pieces.
    def test_bytes_equal_those_of_ruby_after_gathering
      text = Array.new(20_000) { |i| "line #{i * i % 977}\n" }
      stock, own = [::Zlib, Zlib].map do |library|
        io = StringIO.new
        writer = library::GzipWriter.new(io)
        writer.mtime = 1
        text.each { |line| writer << line }
        writer.close
        io.string
      end
      assert_equal stock, own
    end

    def test_ios_methods
      file = written do |writer|
        assert_nil writer.print("a", 1, :b)
        assert_nil writer.puts("line", %w[two three])
        assert_nil writer.printf("%03d\n", 7)
        assert_same writer, writer << "x" << 2
        assert_equal "yz", writer.putc("yz")
        assert_equal 0x141, writer.putc(0x141)
        assert_equal 5, writer.write("ab", 12, :c)
        writer.write
      end
      assert_equal "a1bline\ntwo\nthree\n007\nx2yAab12c", ::Zlib.gunzip(file)
    end

    def test_header
      file = written(1) do |writer|
        assert_equal 1, writer.level
        writer.mtime = Time.at(1234)
        writer.orig_name = "name\0rest"
        writer.comment = "cömment"
        writer.write("x")
        %i[mtime= orig_name= comment=].each do |name|
          error = assert_raises(Zlib::GzipFile::Error) { writer.send(name, "1") }
          assert_equal "header is already written", error.message
        end
      end
      reader = ::Zlib::GzipReader.new(StringIO.new(file))
      assert_equal [Time.at(1234), "name", "cömment".b, ::Zlib::BEST_SPEED, ::Zlib::OS_CODE],
                   [reader.mtime, reader.orig_name, reader.comment, reader.level, reader.os_code]
      now = ::Zlib::GzipReader.new(StringIO.new(written { |writer| writer.write("x") })).mtime
      assert_in_delta Time.now.to_i, now.to_i, 5
    end

    def test_wrong_values
      assert_raises(Zlib::StreamError) { Zlib::GzipWriter.new(StringIO.new, 10) }
      assert_raises(Zlib::StreamError) { Zlib::GzipWriter.new(StringIO.new, 1, 9) }
      written do |writer|
        assert_raises(RangeError) { writer.mtime = 2**32 }
        assert_raises(TypeError) { writer.mtime = nil }
        assert_raises(TypeError) { writer.orig_name = 5 }
        assert_raises(TypeError) { writer.putc(nil) }
      end
      assert_raises(NoMethodError) { Zlib::GzipWriter.new(nil).close }
    end

    def test_an_empty_file_is_valid
      assert_equal "", ::Zlib.gunzip(written { |writer| writer.write("") })
      assert_equal "", ::Zlib.gunzip(written { |writer| assert_equal 0, writer.pos })
      assert_equal "abc", ::Zlib.gunzip(written { |writer| writer.flush.write("abc") })
    end

    def test_encodings
      file = written(external_encoding: "UTF-16LE", internal_encoding: "UTF-8") { |writer| writer.write("ä") }
      assert_equal "ä".encode("UTF-16LE").b, ::Zlib.gunzip(file)
    end

    def test_sync_flushes_each_write
      flushed = 0
      io = StringIO.new("".b)
      io.define_singleton_method(:flush) { flushed += 1 }
      writer = Zlib::GzipWriter.new(io)
      writer.sync = true
      writer.write("one")
      assert_equal "one", ::Zlib::Inflate.new(31).inflate(io.string)
      assert_operator flushed, :>, 0
      writer.close
    end

    def test_files
      path = File.join(folder, "out.gz")
      assert_equal :answer, (Zlib::GzipWriter.open(path, 9) { |writer| writer.write("text") && :answer })
      assert_equal "text", ::Zlib.gunzip(File.binread(path))
      io = StringIO.new
      writer = Zlib::GzipWriter.wrap(io)
      assert_same io, writer.finish
      refute io.closed?
      assert writer.closed?
      assert_nil writer.close
      assert_raises(Zlib::GzipFile::Error) { writer.write("x") }
      assert_raises(Zlib::GzipFile::Error) { writer.finish }
    end

    def test_zlib_gzip
      [nil, -1, 0, 1, 6, 9].product([nil, 0, 1, 2]).each do |level, strategy|
        file = Zlib.gzip("hello " * 100, level: level, strategy: strategy)
        assert_equal "hello " * 100, ::Zlib.gunzip(file)
        assert_equal [::Zlib::OS_CODE, { 1 => 4, 9 => 2 }.fetch(level, 0)], [file.getbyte(9), file.getbyte(8)]
      end
      assert_raises(Zlib::StreamError) { Zlib.gzip("", level: 10) }
      assert_raises(TypeError) { Zlib.gzip(nil) }
      assert_raises(TypeError) { Zlib.gunzip(nil) }
      assert_raises(ArgumentError) { Zlib.gzip("", levle: 1) }
    end

    # Output of concurrent writes is not interleaved, and the checksum has the same order.
    def test_threads_that_write_at_once
      5.times do
        io = StringIO.new
        writer = Zlib::GzipWriter.new(io, 1)
        lines = Array.new(4) { |i| Array.new(300) { |j| "#{i} #{j} #{"x" * (j * 37 % 2000)}\n" } }
        lines << Array.new(6) { |j| "4 #{j} #{"y" * 300_000}\n" }
        lines.map { |some| Thread.new { some.each { |line| writer.write(line) && Thread.pass } } }.each(&:join)
        writer.close
        assert_equal lines.flatten.sort, ::Zlib.gunzip(io.string).lines.sort
      end
    end

    # Writing the header calls Time.now, where another thread may run.
    def test_threads_that_write_first_at_once
      slow = Module.new { def now = sleep(0.01) && super }
      Time.singleton_class.prepend(slow)
      [20, 20_000].each do |length|
        writer = Zlib::GzipWriter.new(io = StringIO.new)
        lines = Array.new(2) { |i| "#{i}#{"x" * length}\n" }
        lines.map { |line| Thread.new { writer.write(line) } }.each(&:join)
        writer.close
        assert_equal lines, ::Zlib.gunzip(io.string).lines.sort
      end
    ensure
      slow.remove_method(:now)
    end

    def test_the_io_is_closed_where_ending_the_file_raises
      io = StringIO.new(Zlib.gzip("text")[0..-9] + ("\0" * 8))
      reader = Zlib::GzipReader.new(io)
      assert_equal "text", reader.readpartial(10)
      assert_raises(Zlib::GzipFile::CRCError) { reader.close }
      assert_predicate io, :closed?
    end
  end
end
