# frozen_string_literal: true

require "test_helper"
require "stringio"

module Spate
  module Server
    # Monitoring::Log writes the server's own messages: escaped, limited in number, and without blocking.
    class LogTest < Minitest::Test
      def setup
        @io = StringIO.new
        @log = Monitoring::Log.new(@io)
      end

      def test_line_breaks_of_clients_are_escaped
        @log.call("a\nrefused \e[2J\u{9b}b\xff\r")
        @log.call("an error\n  of two lines")
        @log.flush
        assert_equal "a\\nrefused \\e[2J\\u009Bb?\\r\nan error\n  of two lines\n", @io.string
      end

      def test_too_many_lines
        50.times { |n| @log.call("line #{n}") }
        @log.flush
        assert_includes 20..40, @io.string.lines.size
        sleep 1.05
        @log.call("later")
        @log.flush
        lines = @io.string.lines(chomp: true)
        assert_match(/\A\d+ more lines were dropped\z/, lines[-2])
        assert_equal "later", lines.last
      end

      def test_log_with_a_closed_reader
        reader, writer = IO.pipe
        reader.close
        log = Monitoring::Log.new(writer)
        log.call("x")
        assert log.flush
        log.call("y")
        assert log.flush
      ensure
        writer.close
      end

      # Logging an error must not raise another one.
      def test_system_that_cannot_create_threads
        made = Thread.method(:new)
        Thread.define_singleton_method(:new) { |*| raise ThreadError, "can't create Thread" }
        @log.call("lost")
        Thread.define_singleton_method(:new, made)
        @log.call("told")
        assert @log.flush
        assert_equal "told\n", @io.string.lines.last
      ensure
        Thread.define_singleton_method(:new, made)
      end

      # While nothing reads the pipe, `call` does not block. Lines are kept in a limited buffer, and further ones are
      # dropped and counted.
      def test_stalled_reader
        reader, writer = IO.pipe
        writer.write_nonblock("\n" * 70_000)
        log = Monitoring::Log.new(writer)
        line = "a" * 10_000
        20.times { log.call(line) }
        refute log.flush
        thread = Thread.new { reader.each_line.grep_v("\n") }
        assert log.flush
        sleep 1.05
        log.call("later")
        log.flush
        writer.close
        lines = thread.value
        assert_operator lines.size, :<, 20
        assert_equal ["#{22 - lines.size} more lines were dropped\n", "later\n"], lines.last(2)
      end

      def test_refusals
        counters = Monitoring::Metrics.counters(2)
        lines = []
        first, second = Array.new(2) { Monitoring::RefusalLog.new(->(line) { lines << line }, counters: counters) }
        peer = Struct.new(:peer).new("192.0.2.7")
        first.refused(peer, "too many PING frames", 11)
        second.refused(peer, "too many PING frames", 11)
        3.times { first.refused(nil, :connections, nil) }
        first.every_second
        assert_equal ["refused 192.0.2.7: too many PING frames (ENHANCE_YOUR_CALM)"], lines.first(1)
        assert_includes 1..2, lines.size
        sleep 1.05
        first.refused(peer, "host is missing", 400)
        assert_match(/\Arefused 192.0.2.7: host is missing \(400\), and [23] before it\z/, lines.last)
      end

      def test_reasons
        reasons = { [:connections, nil] => "connections", ["x", 11] => "enhance_your_calm", ["x", 408] => "timeout",
                    ["x", 431] => "bad_request", ["handshake: incomplete after 10 s", nil] => "handshake",
                    ["x", nil] => "other",
                    ["x", 99] => "other" }
        reasons.each { |(reason, code), name| assert_equal name, Monitoring::Metrics.reason(reason, code) }
      end
    end
  end
end
