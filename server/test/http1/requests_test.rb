# frozen_string_literal: true

require "test_helper"

module Spate
  module Server
    # HTTP1::Protocol parses requests and writes responses, without a socket.
    class HTTP1Test < Minitest::Test
      def talk(bytes, limits: Limits.defaults, step: nil, &handler)
        handler ||= ->(request) { Response.text(200, request.target) }
        write_buffer = Native::WriteBuffer.new([])
        @protocol = HTTP1::Protocol.new(write_buffer, handler, limits)
        buffer = ArrayBuffer.from(bytes)
        from = 0
        (step || bytes.bytesize).step(bytes.bytesize, step || bytes.bytesize) do |to|
          3.times do
            from = @protocol.receive(buffer, from, to)
            @protocol.produce
          end
        end
        write_buffer.to_s.gsub(/^date: .*\r\n/, "")
      end

      def test_a_request_in_pieces
        bytes = "\r\nGET /a?b HTTP/1.1\r\nHost: x\r\nA: 1\r\nA:2 \r\n\r\n"
        seen = nil
        answer = talk(bytes, step: 1) { |request| Response.text(200, (seen = request).target) }
        assert_equal "HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 4\r\n\r\n/a?b",
                     answer
        assert_equal ["1, 2", "x", "HTTP/1.1"], [seen["a"], seen.authority, seen.version]
        refute_predicate @protocol, :finished?
      end

      # Invalid UTF-8 is rejected where the server interprets it, and passed on elsewhere.
      def test_invalid_utf8
        ["GET / HTTP/1.1\r\nhost: \xff\r\n\r\n", "GET http://\xff/ HTTP/1.1\r\nhost: x\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: \xff\r\n\r\n", "GET \xff HTTP/1.1\r\nhost: x\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: \xff\r\n\r\n"].each do |bytes|
          assert_match(%r{\AHTTP/1.1 400 }, talk(bytes.b), bytes)
        end
        answer = talk("GET /\xff HTTP/1.1\r\nhost: x\r\nconnection: \xff\r\ncookie: \xff\r\n\r\n".b)
        assert_match(%r{\AHTTP/1.1 200 .*/\xff\z}mn, answer)
        refute_predicate @protocol, :finished?
      end

      def test_misleading_response_heads
        [[0, {}], [100, {}], [1000, {}], [200, { "content-length" => "1_0" }], [200, { "content-length" => "-1" }],
         [200, { "content-length" => %w[1 1] }], [200, { "x" => "a\r\nb: c" }],
         [200, { "x\r\n" => "a" }]].each do |given|
          answer = talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n") { |_| Response.new(*given, "0\r\n\r\n") }
          assert_match(/\AHTTP.1.1 500 .*failed.\n\z/m, answer, given.inspect)
        end
        both = { "transfer-encoding" => "chunked", "content-length" => "3" }
        answer = talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n") { |_| Response.new(200, both, "0\r\n\r\n") }
        assert_equal "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", answer
      end

      # An invalid response is replaced only once, even if the replacement is invalid too.
      def test_invalid_replacement_response
        HTTP1::ResponseHead.define_singleton_method(:new) { |*| raise ArgumentError, "always" }
        assert_raises(ConnectionError) { talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n") }
      ensure
        HTTP1::ResponseHead.singleton_class.remove_method(:new)
      end

      def test_one_after_another
        answer = talk("GET /1 HTTP/1.1\r\nhost: x\r\n\r\nHEAD /22 HTTP/1.1\r\nhost: x\r\n\r\n" \
                      "GET http://x/333 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\nGET /4 HTTP/1.1\r\n\r\n")
        assert_equal %w[2 3 4], answer.scan(/content-length: (\d)/).flatten
        assert_match(%r{connection: close\r\n\r\n/333\z}, answer)
        assert_predicate @protocol, :finished?
      end

      def test_body_of_unknown_length
        answer = talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n") { Response.new(200, {}, ["ab", "", "c" * 20].each) }
        assert_match(/transfer-encoding: chunked\r\n\r\n2\r\nab\r\n14\r\nc{20}\r\n0\r\n\r\n\z/, answer)
        answer = talk("GET / HTTP/1.0\r\n\r\n") { Response.new(200, {}, %w[ab c].each) }
        assert_match(/connection: close\r\n\r\nabc\z/, answer)
        assert_predicate @protocol, :finished?
      end

      def test_a_body
        got = +""
        bytes = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\nexpect: 100-continue\r\n\r\nhello" \
                "GET /2 HTTP/1.1\r\nhost: x\r\n\r\n"
        answer = talk(bytes, step: 3) do |request|
          request.body&.on_chunk { |part| got << part }&.on_end { request.answer(Response.text(200, got)) }
          request.body ? nil : Response.text(200, request.target)
        end
        assert_equal "hello", got
        assert_match(%r{\AHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200.*hello.*/2\z}m, answer)
      end

      def test_invalid_requests
        { "GET /\r\n\r\n" => 400, "GET / HTTP/1.1\r\n\r\n" => 400, "GET / HTTP/2.0\r\nhost: x\r\n\r\n" => 505,
          "GET / HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n" => 400, "GET / HTTP/1.1\r\nhost: x\r\na b: c\r\n\r\n" => 400,
          "GET / HTTP/1.1\r\nhost: x\r\n folded: c\r\n\r\n" => 400, "GET / HTTP/1.1\r\nhost : x\r\n\r\n" => 400,
          "GET / HTTP/1.1\r\nhost: x\r\na: b\nc: d\r\n\r\n" => 400,
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1, 1\r\n\r\n" => 400,
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: +1\r\n\r\n" => 400,
          "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n" => 400,
          "POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: gzip\r\n\r\n" => 501,
          "GET / HTTP/1.1\r\n#{"a: b\r\n" * 200}\r\n" => 431, "GET /#{"x" * 40_000}" => 431 }.each do |bytes, status|
          called = false
          answer = talk(bytes) { called = true }
          assert_match(%r{\AHTTP/1.1 #{status} }, answer, bytes[0, 80])
          refute called, bytes
          assert @protocol.finished? || @protocol.phase == :lingering, bytes[0, 80]
        end
      end

      def test_an_error_of_the_handler
        assert_match(%r{\AHTTP/1.1 500 }, talk("GET / HTTP/1.1\r\nhost: x\r\n\r\n") { raise "no" })
      end
    end
  end
end
