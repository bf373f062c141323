# frozen_string_literal: true

require "test_helper"
require "support/rack_server"

module Spate
  module Server
    # The head of a response to HEAD, connections of HTTP/1.0, and how often a body is closed.
    class RackReplyTest < Minitest::Test
      include RackServer

      # A body with to_ary. closes: whether to_ary closes it, as Rack 3 requires.
      class Closing
        attr_reader :closed

        def initialize(closes)
          @closes = closes
          @closed = 0
        end

        def each
          yield "ab"
          yield "c"
        end

        def to_ary
          close if @closes
          %w[ab c]
        end

        def close = @closed += 1
      end

      def test_head_has_the_length_of_the_body
        path = write("file", "x" * 70_000)
        bodies = { "/array" => %w[ab ä], "/file" => Struct.new(:to_path).new(path), "/empty" => [],
                   "/list" => Closing.new(true), "/parts" => %w[a b].each, "/told" => %w[a b].each }
        serve { |env| [200, env["PATH_INFO"] == "/told" ? { "content-length" => "2" } : {}, bodies[env["PATH_INFO"]]] }
        expected = { "/array" => 4, "/file" => 70_000, "/empty" => 0, "/list" => 3, "/parts" => nil, "/told" => 2 }
        expected.each do |target, length|
          answer = talk("HEAD #{target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
          lengths = [answer, curl("-I", "--http2-prior-knowledge", address(target))]
          assert_equal [length] * 2, lengths.map { |head| head[/^content-length: (\d+)/, 1]&.to_i }, target
          assert answer.end_with?("\r\n\r\n"), target
        end
      end

      def test_body_with_to_ary_is_closed_once
        body = nil
        serve { |env| [200, env["PATH_INFO"] == "/" ? {} : { "content-length" => "3" }, body] }
        %w[GET HEAD].product(["/", "/length"], [true, false]).each do |verb, target, closes|
          body = Closing.new(closes)
          answer = talk("#{verb} #{target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")
          assert_equal verb == "GET", answer.end_with?("abc")
          assert_match(/^content-length: 3\r$/, answer)
          assert_equal 1, body.closed, "#{verb} #{target}, to_ary closes: #{closes}"
        end
      end

      def test_http_1_0_keeps_a_connection_if_the_length_is_known
        bodies = { "/array" => ["abc"], "/parts" => %w[a b].each }
        serve { |env| [200, {}, bodies.fetch(env["PATH_INFO"])] }
        request = "GET %s HTTP/1.0\r\nconnection: keep-alive\r\n\r\n"
        answer = talk(format(request, "/array") * 2 + format(request, "/parts"))
        assert_equal 2, answer.scan(/^connection: keep-alive\r$/).size
        assert_match(%r{abcHTTP/1.1 200 OK\r\n.*abcHTTP/1.1 200 OK\r\n.*^connection: close\r\n\r\nab\z}m, answer)
        assert_match(/^connection: close\r\n\r\nabc\z/, talk("GET /array HTTP/1.0\r\n\r\n"))
      end
    end
  end
end
