# frozen_string_literal: true

require "test_helper"
require "support/files_handler"

module Spate
  module Server
    # Another thread reads files that are not in the page cache before the reactor does.
    class FilesAheadTest < Minitest::Test
      include FilesHandler

      # A file whose reads last until the test calls `finish`.
      class SlowFile
        attr_reader :asked

        def initialize
          @asked = Thread::Queue.new
          @done = Thread::Queue.new
        end

        def cached?(_position, _length) = false

        def warm(position, length)
          @asked << [position, length]
          raise Errno::EIO if @done.pop == :broken
        end

        def finish(how = :well) = @done << how
        def hold = !@closed
        def release = !@closed
        def close = @closed = true
      end

      def setup
        @threads = Files::ThreadPool.new(1)
        @slow = SlowFile.new
        @told = Thread::Queue.new
      end

      def teardown
        @threads.close
        super
      end

      def ahead(to)
        Files::ReadAhead.new(@slow, 100, to, @threads).tap { |it| it.on_ready(nil) { @told << true } }
      end

      def test_waiting_for_a_disk
        window = Files::ReadAhead::WINDOW
        ahead = ahead(100 + window + 5)
        3.times { assert_equal 0, ahead.allowance(100) }
        assert_equal [100, window], @slow.asked.pop
        @slow.finish
        assert @told.pop
        assert_equal window, ahead.allowance(100)
        assert_equal 10, ahead.allowance(90 + window)
        assert_equal [100 + window, 5], @slow.asked.pop
        @slow.finish(:broken)
        assert @told.pop
        assert_equal 15, ahead.allowance(90 + window), "who reads is to meet the error"
      end

      # The block is not called for a file that was closed meanwhile.
      def test_closing_during_a_read
        ahead = ahead(1000)
        ahead.allowance(100)
        @slow.asked.pop
        @slow.close
        @slow.finish
        Timeout.timeout(5) { sleep 0.001 until ahead.allowance(100) == 900 }
        assert_empty @told
      end

      # The descriptor stays open while another thread reads from it.
      def test_held_file
        put("held.txt", "held")
        found = Native::Folder.new(www).open("held.txt")
        2.times { assert found.hold }
        found.close
        refute found.hold
        refute_predicate found, :closed?
        assert_equal "held", found.read(0, 100)
        2.times { refute found.release }
        assert_predicate found, :closed?
        assert_raises(IOError) { found.release }
      end

      # Responds with a real file that was removed from the page cache, as far as the file system permits.
      def test_cold_files
        path = put("cold.bin", cold = Random.new(3).bytes(9_000_000))
        [{}, { range: "bytes=5000000-8000000,100-200" }].each do |fields|
          File.open(path) do |file|
            file.fsync
            file.advise(:dontneed)
          end
          body = content(get("/cold.bin", **fields))
          assert(fields.empty? ? body == cold : body.include?(cold[5_000_000..8_000_000]))
        end
      end
    end
  end
end
