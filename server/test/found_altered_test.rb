# frozen_string_literal: true

require "test_helper"
require "spate/server/native/files"

module Spate
  module Server
    # Whether a file that is being sent is still what it was.
    class FoundAlteredTest < Minitest::Test
      def setup
        @path = write("site/file.txt", "x" * 1000)
        File.utime(0, 1000, @path)
        @found = Native::Folder.new(File.dirname(@path)).open("file.txt")
      end

      def teardown
        @found.close
        super
      end

      def test_as_it_was
        refute_predicate @found, :altered?
        File.chmod(0o600, @path)
        refute_predicate @found, :altered?
      end

      def test_written_over_and_cut_off
        File.write(@path, "y", 0, mode: "r+b")
        assert_predicate @found, :altered?
        File.truncate(@path, 10)
        assert_predicate @found, :altered?
      end

      def test_grown
        File.write(@path, "more", mode: "ab")
        refute_predicate @found, :altered?
      end

      # The kernel sets the time of a file that is appended to before its size.
      def test_growing
        appending = fork do
          nil until File.mtime(@path).to_i == 2000
          File.write(@path, "more", mode: "ab")
          exit! 0
        end
        sleep 0.05 # it looks by now
        File.utime(0, 2000, @path)
        refute_predicate @found, :altered?
      ensure
        Process.wait(appending)
      end
    end
  end
end
