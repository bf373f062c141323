# frozen_string_literal: true

require "test_helper"
require "spate/server/native/files"

module Spate
  module Server
    # Native::Found#altered? reports whether a file changed while it was sent.
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

      def test_unchanged_file
        refute_predicate @found, :altered?
        File.chmod(0o600, @path)
        refute_predicate @found, :altered?
      end

      def test_overwritten_and_truncated
        File.write(@path, "y", 0, mode: "r+b")
        assert_predicate @found, :altered?
        File.truncate(@path, 10)
        assert_predicate @found, :altered?
      end

      def test_grown
        File.write(@path, "more", mode: "ab")
        refute_predicate @found, :altered?
      end

      # The kernel updates the time of a growing file before its size. On a busy machine the writer may be paused
      # between the two, so at least one of several attempts must succeed.
      def test_growing
        assert(Array.new(10) { |number| altered_while_growing?(3000 + number) }.include?(false))
      end

      private

      def altered_while_growing?(time)
        File.utime(0, 1000, @path)
        found = Native::Folder.new(File.dirname(@path)).open("file.txt")
        appending = fork { append_at(time) }
        sleep 0.05 # the child is waiting now
        File.utime(0, time, @path)
        found.altered?
      ensure
        Process.wait(appending)
        found.close
      end

      def append_at(time)
        nil until File.mtime(@path).to_i == time
        File.write(@path, "more", mode: "ab")
      ensure
        exit! 0
      end
    end
  end
end
