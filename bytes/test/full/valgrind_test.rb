# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"

module Spate
  # Runs the random calls of bytes/test under valgrind, which also finds reads of uninitialized memory.
  class ValgrindTest < Minitest::Test
    TEST = File.expand_path("..", __dir__)
    OPTIONS = ["--quiet", "--error-exitcode=99", "--exit-on-first-error=no", "--num-callers=20", "--error-limit=no",
               "--max-stackframe=16777216", "--suppressions=#{TEST}/support/ruby.supp"].freeze

    def test_zlib
      assert_no_errors 400, "require 'support/zlib_walk'; Spate::ZlibWalk.new(1, largest: 100_000).run(%d)"
    end

    def test_bytes
      assert_no_errors 20_000, "require 'support/bytes_model'; Spate::BytesModel.new(1).run(%d)"
    end

    # Readers, writers and batches, which ZlibWalk does not call.
    def test_gzip_files_and_batches
      assert_no_errors 3, <<~RUBY
        require "spate/zlib"
        require "stringio"
        %d.times do |i|
          texts = Array.new(60) { |n| "line \#{n}\\n" * (n * n) } << "x" * 300_000
          packed = Spate::Zlib.deflate_all(texts, threads: 3, format: :gzip)
          packed << "damaged" << packed.last[0, 50]
          found = Spate::Zlib.inflate_all(packed, threads: 3, errors: :keep)
          raise "differs" unless found.first(texts.size) == texts
          io = StringIO.new
          Spate::Zlib::GzipWriter.wrap(io) { |writer| texts.each { |text| writer.write(text) } && writer.finish }
          reader = Spate::Zlib::GzipReader.new(StringIO.new(io.string))
          raise "differs" unless reader.gets && reader.getc && reader.getbyte && reader.read(100_000) && reader.read
        end
      RUBY
    end

    def assert_no_errors(steps, script)
      skip "valgrind is not installed" unless system("valgrind", "--version", out: File::NULL, err: File::NULL)

      out, status = Open3.capture2e("valgrind", *OPTIONS, RbConfig.ruby, "--disable-gems",
                                    "-I#{File.expand_path("../lib", TEST)}", "-I#{TEST}", "-e", format(script, steps))
      assert_predicate status, :success?, out.lines.first(80).join
    end
  end
end
