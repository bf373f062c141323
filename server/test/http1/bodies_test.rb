# frozen_string_literal: true

require "test_helper"

module Spate
  module Server
    # HTTP1::Protocol receives bodies with a length or in chunks, rejects request smuggling, and applies limits and
    # timeouts. Without a socket.
    class HTTP1BodiesTest < Minitest::Test
      HEAD = "POST / HTTP/1.1\r\nhost: x\r\n"
      CHUNKED = "#{HEAD}transfer-encoding: chunked\r\n\r\n".freeze
      NEXT = "GET /next HTTP/1.1\r\nhost: x\r\n\r\n"

      def protocol(limits = Limits.defaults, &handler)
        @write_buffer = Native::WriteBuffer.new([])
        @seen = []
        handler ||= lambda do |request|
          @seen << request.target
          next Response.text(200, request.target) unless request.body

          got = +""
          request.body.on_chunk { |part| got << part }.on_end do |trailers|
            @seen << got << trailers
            request.answer(Response.text(200, got))
          end
          nil
        end
        @protocol = HTTP1::Protocol.new(@write_buffer, handler, limits)
      end

      # Feeds the bytes in steps of this size. Unconsumed bytes are passed again.
      def feed(bytes, step = bytes.bytesize)
        buffer = ArrayBuffer.from(bytes)
        from = 0
        step.step(bytes.bytesize + step - 1, step) do |to|
          3.times do
            from = @protocol.receive(buffer, from, [to, bytes.bytesize].min)
            @protocol.produce
          end
        end
        @write_buffer.to_s
      end

      def test_chunks_in_pieces_of_any_size
        bytes = "#{CHUNKED}3\r\nabc\r\n00b;name=value;x=\"y\"\r\ndefghijklmn\r\n0;last\r\nX-A: 1\r\nx-a: 2\r\n" \
                "content-length: 9\r\nhost: y\r\n\r\n#{NEXT}"
        [bytes.bytesize, 1, 2, 3, 7].each do |step|
          protocol
          answers = feed(bytes, step)
          assert_equal ["/", "abcdefghijklmn", { "x-a" => "1, 2" }, "/next"], @seen, "in steps of #{step}"
          assert_equal 2, answers.scan("HTTP/1.1 200 OK").size
        end
      end

      # A tick processes a limited number of chunks, and ready? reports that bytes remain.
      def test_chunks_per_tick
        got = 0
        protocol { |request| request.body.on_chunk { |part| got += part.bytesize } && nil }
        buffer = ArrayBuffer.from(bytes = "#{CHUNKED}#{"1\r\nx\r\n" * 1000}0\r\n\r\n")
        from = 0
        ticks = []
        until from == bytes.bytesize
          before = got
          from = @protocol.receive(buffer, from, bytes.bytesize)
          ticks << (got - before)
          assert_equal from < bytes.bytesize, @protocol.ready?
        end
        assert_equal 1000, ticks.sum
        assert_operator ticks.max, :<=, Limits.defaults.frames_per_tick
      end

      def test_requests_per_tick
        protocol { |_| Response.new(204) }
        buffer = ArrayBuffer.from(bytes = NEXT * 600)
        from = @protocol.receive(buffer, 0, bytes.bytesize)
        assert_operator from, :<=, NEXT.bytesize * Limits.defaults.frames_per_tick
        assert_predicate @protocol, :ready?
      end

      # Chunks are limited as frames of HTTP/2 are: a burst, and a rate per second.
      def test_rate_limit_of_chunks
        protocol(Limits.new(control_frames: 10, control_frames_per_second: 0)) { |request| request.body.discard && nil }
        bytes = "#{CHUNKED}#{"1\r\nx\r\n" * 400}"
        buffer = ArrayBuffer.from(bytes)
        from = 0
        5.times { from = @protocol.receive(buffer, from, bytes.bytesize) }
        assert_refusal 429, @write_buffer.to_s
        assert_predicate @protocol, :finished?
      end

      # Asserts that there is one response, that its text has the announced length, and that nothing follows.
      def assert_refusal(status, answer, message = nil)
        head, text = answer.split("\r\n\r\n", 2)
        line, *fields = head.split("\r\n")
        fields = fields.to_h { |field| field.split(": ", 2) }
        assert_match(%r{\AHTTP/1.1 #{status} \w}, line, message)
        assert_equal ["text/plain; charset=utf-8", "close", text.bytesize.to_s],
                     fields.values_at("content-type", "connection", "content-length"), message
        assert_match(/GMT\z/, fields["date"], message)
        assert_match(/\A[A-Z][^\n]+: [^\n]+\.\n\z/, text, message)
      end

      # Parsers disagree about the end of these requests, so the server rejects them.
      def test_smuggled_requests
        ["#{HEAD}content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
         "#{HEAD}transfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n",
         "#{HEAD}content-length: 3\r\ncontent-length: 3\r\n\r\nabc", "#{HEAD}content-length: 3, 3\r\n\r\nabc",
         "#{HEAD}content-length: 0x3\r\n\r\nabc", "#{HEAD}content-length: -1\r\n\r\n", "#{HEAD}content-length:\r\n\r\n",
         "#{HEAD}content-length: 1_0\r\n\r\n", "#{HEAD}content-length : 3\r\n\r\nabc", "#{HEAD}x: y\r\n z\r\n\r\n",
         "#{HEAD}transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
         "#{HEAD}transfer-encoding: chunked, chunked\r\n\r\n", "#{HEAD}transfer-encoding: identity\r\n\r\n",
         "#{HEAD}transfer-encoding: chun\u212aed\r\n\r\n".b,
         "#{HEAD}transfer-encoding: xchunked\r\n\r\n", "#{HEAD}transfer-encoding: chunked;q=1\r\n\r\n",
         "#{HEAD}transfer-encoding: \x0bchunked\r\n\r\n", "#{HEAD}transfer-encoding:\r\n\r\n",
         "#{HEAD}transfer-encoding\r\n: chunked\r\n\r\n", "POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n",
         "GET / HTTP/1.1\nhost: x\n\n", "GET / HTTP/1.1\r\nhost: x\n\r\n", "GET / HTTP/1.1\r\nhost: x\rfoo: y\r\n\r\n",
         "GET  / HTTP/1.1\r\nhost: x\r\n\r\n", "GET / HTTP/1.1 \r\nhost: x\r\n\r\n",
         "GET /\tb HTTP/1.1\r\nhost: x\r\n\r\n",
         " GET / HTTP/1.1\r\nhost: x\r\n\r\n", "GET / HTTP/1.1\r\n host: x\r\n\r\n",
         "GET / HTTP/1.1\r\n: y\r\nhost: x\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x/y\r\n\r\n", "GET / HTTP/1.1\r\nhost: u@x\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x:y\r\n\r\n",
         "GET http://u@x/ HTTP/1.1\r\nhost: x\r\n\r\n", "GET http:/// HTTP/1.1\r\nhost: x\r\n\r\n",
         "GET * HTTP/1.1\r\nhost: x\r\n\r\n", "GET x HTTP/1.1\r\nhost: x\r\n\r\n", "GET / http/1.1\r\nhost: x\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x\r\nnul: \0\r\n\r\n",
         "GET / HTTP/1.1\r\nhost: x\r\nn\xe9: 1\r\n\r\n".b].each do |bytes|
          protocol
          assert_refusal(400, feed(bytes + NEXT), bytes)
          assert_equal [], @seen, bytes
          assert_predicate @protocol, :finished?, bytes
        end
      end

      def test_invalid_chunks
        ["xyz", "g\r\n", "-1\r\na", " 3\r\nabc\r\n", "3 \r\nabc\r\n", "0x3\r\nabc\r\n", "3\nabc\n0\n\n",
         "3\r\nabcd\r\n", "3\r\nabc0\r\n",
         "3\r\nabc\n", "3\rxabc", "#{"0" * 16}3\r\nabc", "f" * 16, "3;\n\r\nabc", "3;#{"x" * 300}\r\nabc\r\n", "\r\n",
         "0\r\na: b\nc: d\r\n\r\n", "0\r\na : b\r\n\r\n", "0\r\n a: b\r\n\r\n",
         "1;#{"x" * 200}\r\na\r\n" * 90].each do |body|
          protocol
          feed(CHUNKED + body)
          assert_predicate @protocol, :finished?, body[0, 40]
          assert_match(/\AHTTP.1.1 400 /, @write_buffer.to_s, body[0, 40])
          assert_equal ["/"], @seen, body[0, 40]
        end
      end

      # An incomplete request times out. A client that waits for the server does not.
      def test_request_timeouts
        { "GET / HTTP/1.1\r\nho" => "request fields incomplete after 3 s", "#{HEAD}content-length: 5\r\n\r\nab" =>
          "less than 240 bytes a second of a request's body in 4 s" }.each do |bytes, reason|
          protocol(Limits.new(head_seconds: 3, body_seconds: 4))
          feed(bytes)
          assert_equal([false, true], [@protocol.late?(100), (101..106).any? { |now| @protocol.late?(now) }])
          assert_refusal(408, @write_buffer.to_s)
          assert_match(/#{reason}\.\n\z/, @write_buffer.to_s)
          assert_predicate @protocol, :finished?
        end
        protocol(Limits.new(idle: 3))
        assert_equal([true, ""], [[100, 104].any? { |now| @protocol.late?(now) }, @write_buffer.to_s])
      end

      # Asserts that further input is discarded until none arrives for two seconds, or for thirty seconds in total.
      def assert_lingering
        [31, 2].zip([30, 2]).each do |seconds, most|
          @protocol.instance_variable_set(:@deadlines, nil)
          late = (0..seconds).find do |second|
            2.times { feed("x" * 500_000) } if most == 30
            @protocol.late?(100 + second)
          end
          assert_equal [most, :lingering, ""], [late, @protocol.phase, @write_buffer.tap(&:clear).to_s]
        end
      end

      def test_limit_of_body_sizes
        { "#{HEAD}content-length: 11\r\n\r\n" => [],
          "#{CHUNKED}6\r\nabcdef\r\n6\r\nabcdef\r\n" => ["/"] }.each do |bytes, seen|
          protocol(Limits.new(body: 10))
          assert_refusal(413, feed(bytes))
          assert_equal seen, @seen
          assert_lingering
        end
        protocol(Limits.new(body: 10))
        assert_match(/ 413 .*content-length: 49\r\n.*\r\n\r\n\z/m,
                     feed("HEAD / HTTP/1.1\r\nhost: x\r\ncontent-length: 11\r\n\r\n"))
        protocol(Limits.new(body: 10))
        assert_match(/ 200 OK/, feed("#{CHUNKED}a\r\nabcdefghij\r\n0\r\n\r\n"))
      end

      def test_expectations
        protocol { |_| nil }
        assert_match(/\AHTTP.1.1 417 /, feed("#{HEAD}expect: more\r\ncontent-length: 3\r\n\r\n"))
        held = nil
        protocol { |request| (held = request) && nil }
        assert_equal "", feed("#{HEAD}expect: 100-Continue\r\ncontent-length: 3\r\n\r\n")
        held.body.on_chunk { nil }
        assert_equal "HTTP/1.1 100 Continue\r\n\r\n", @write_buffer.to_s
        protocol { |request| (held = request) && nil }
        feed("#{HEAD}expect: 100-continue\r\ncontent-length: 3\r\n\r\nabc") # the client does not wait for status 100
        held.body.on_chunk { nil }
        assert_equal "", @write_buffer.to_s
      end

      # The handler does not read, so the server accepts only one window of the body.
      def test_unread_body_is_bounded
        protocol(Limits.new(stream_window: 1000)) { |_| nil }
        bytes = "#{HEAD}content-length: 5000\r\n\r\n#{"x" * 5000}"
        buffer = ArrayBuffer.from(bytes)
        from = 0
        (200..bytes.bytesize).step(200) { |to| from = @protocol.receive(buffer, from, to) }
        assert_operator from, :<, 1400
      end

      def test_times
        limits = Limits.new(idle: 60, head_seconds: 10, body_seconds: 20, minimum_rate: 10)
        { "" => 60, "GET / HT" => 10, "#{HEAD}content-length: 9999\r\n\r\nab" => 20 }.each do |bytes, seconds|
          protocol(limits) { |_| nil }
          feed(bytes) unless bytes.empty?
          assert_equal [false, false, true], [0, seconds - 1, seconds + 1].map { |now| @protocol.late?(now) }, bytes
        end
        protocol(limits) { |_| nil }
        feed(NEXT)
        assert_equal [false, false], [0, 100].map { |now| @protocol.late?(now) } # the server has to respond next
      end

      def test_a_peer_that_only_stopped_sending
        held = nil
        protocol { |request| (held = request) && nil }
        feed(NEXT)
        assert @protocol.ended(false)
        held.answer(Response.text(200, "late"))
        @protocol.produce
        assert_match(/connection: close\r\n\r\nlate\z/, @write_buffer.to_s)
        assert_predicate @protocol, :finished?
        protocol { |_| nil }
        feed("#{HEAD}content-length: 5\r\n\r\nabc")
        refute @protocol.ended(false)
      end

      # During shutdown, a client that was promised keep-alive may send one more request.
      def test_leaving
        body = Response::Body::Queue.new
        protocol { |request| Response.new(200, {}, request.target == "/next" ? body : "last") }
        body.push("abc")
        feed(NEXT)
        @protocol.leave
        body.finish
        @protocol.produce
        assert_match(/\r\n3\r\nabc\r\n0\r\n\r\n\z/, @write_buffer.to_s)
        refute_predicate @protocol, :finished?
        assert_match(/connection: close\r\n\r\nlast\z/, feed("GET / HTTP/1.1\r\nhost: x\r\n\r\n" * 2))
        assert_predicate @protocol, :finished?
      end

      def test_a_file_that_shrinks
        path = write("shrinks", "x" * 1000)
        log = []
        @write_buffer = Native::WriteBuffer.new([])
        @protocol = HTTP1::Protocol.new(@write_buffer, lambda { |_|
          file = File.open(path)
          Response.new(200, {}, Response::Body::FileRange.new(file)).tap { File.truncate(path, 10) }
        }, Limits.defaults, log: ->(line) { log << line })
        assert_match(/content-length: 1000\r\n\r\nx{10}\z/, feed(NEXT))
        assert_predicate @protocol, :finished?
        assert_match(%r{/next: .*Truncated.*ends 990 bytes early}, log.join)
      end
    end
  end
end
