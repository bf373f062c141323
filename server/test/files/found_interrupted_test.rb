# frozen_string_literal: true

require "test_helper"
require "spate/server/native/files"
require "support/interruptions"

module Spate
  module Server
    # An exception from another thread interrupts a read of Native::Found without the GVL. No memory leaks.
    class FoundInterruptedTest < Minitest::Test
      include Interruptions

      SIZE = 2_000_000

      def setup
        path = write("site/file.bin", "x" * SIZE)
        @folder = Native::Folder.new(File.dirname(path))
        @found = @folder.open("file.bin")
      end

      def teardown
        @found.close
        super
      end

      def test_interrupted_read_leaks_no_memory
        before = resident
        20.times { interrupted { @found.read(0, SIZE) } }
        assert_operator resident - before, :<, 20_000_000
        assert_equal "xx", @found.read(SIZE - 2, 100)
      end

      def test_interrupted_read_ahead_leaks_no_memory
        before = resident
        200.times { interrupted { @found.warm(0, SIZE) } }
        assert_operator resident - before, :<, 13_000_000
      end
    end
  end
end
