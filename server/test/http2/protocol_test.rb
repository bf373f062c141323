# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # HTTP2::Protocol from the preface to the end of the connection: requests, windows, trailers, limits.
    class ProtocolTest < Minitest::Test
      include HTTP2

      def talk(...) = @talk ||= Conversation.new(...)
      def frame(...) = talk.frame(...)
      def seen(answers = talk.answers) = answers.map { |answer| [answer.type, answer.flags, answer.stream] }

      def limits(**changes) = Limits.defaults.tap { |limits| changes.each { |name, value| limits[name] = value } }

      def resets(answers = talk.answers)
        answers.select { |answer| answer.type == 3 }.map { |answer| [answer.stream, ErrorCode::NAMES[answer.word]] }
      end

      def assert_calmed
        last = talk.answers.last
        assert_equal [7, ErrorCode::ENHANCE_YOUR_CALM], [last.type, last.word(4)]
      end

      # The server sends SETTINGS and acknowledges those of the client: section 3.4.
      def test_the_greeting
        talk(greet: false)
        (PREFACE + frame(4, 0, 0, [4, 100].pack("nN"))).each_char { |byte| talk.send(byte) }
        answers = talk.answers
        assert_equal [[4, 0, 0], [4, 1, 0]], seen(answers)
        assert_equal [3, 100], answers[0].payload.unpack("nN")
      end

      def test_a_wrong_greeting
        talk(greet: false).send("PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n")
        assert_equal ErrorCode::PROTOCOL_ERROR, talk.answers.last.word(4)
        @talk = Conversation.new(greet: false).send(PREFACE + Wire.frame(6, 0, 0, "12345678"))
        assert_equal [7, ErrorCode::PROTOCOL_ERROR], [(last = talk.answers.last).type, last.word(4)]
      end

      def test_a_request
        talk.open(1, talk.get("/x?y", cookie: "a=b"))
        answers = talk.answers
        assert_equal [[1, 4, 1], [0, 1, 1]], seen(answers)
        assert_equal %w[:status 200], talk.fields(answers[0]).first(2)
        assert_equal "ok", answers[1].payload
        request = talk.requests.first
        assert_equal ["GET", "/x?y", "/x", "localhost", "a=b", nil],
                     [request.verb, request.target, request.path, request.authority, request["cookie"], request.body]
        refute_predicate talk.protocol, :busy?
      end

      # Sections 6.1, 6.2, 6.10: padding, priority and a block in four parts, byte by byte.
      def test_a_request_in_pieces
        block = talk.get("/pieces")
        bytes = frame(1, 0x29, 1, "\x03\0\0\0\0\x10#{block[0, 3]}\0\0\0".b) + frame(9, 0, 1, block[3, 1]) +
                frame(9, 0, 1, "") + frame(9, 4, 1, block[4..])
        bytes.each_char { |byte| talk.send(byte) }
        assert_equal ["/pieces"], talk.requests.map(&:target)
      end

      def test_head_has_no_content
        talk.open(1, talk.block(":method", "HEAD", ":scheme", "http", ":path", "/"))
        assert_equal [[1, 5, 1]], seen
      end

      def test_an_error_of_the_handler
        talk { raise "no" }.open(1)
        answers = talk.answers
        assert_equal %w[:status 500], talk.fields(answers[0]).first(2)
        assert_match(/RuntimeError: no/, talk.log.first)
      end

      # Section 6.9: the server respects both windows, and continues when they are enlarged.
      def test_windows_of_the_client
        talk { Response.new(200, {}, "x" * 100) }
        talk.send(frame(4, 0, 0, [4, 10].pack("nN")))
        talk.open(1)
        assert_equal [10], talk.answers.select { |a| a.type.zero? }.map { |a| a.payload.bytesize }
        talk.send(frame(8, 0, 1, [5].pack("N")))
        assert_equal [5], talk.answers.map { |a| a.payload.bytesize }
        talk.send(frame(4, 0, 0, [4, 0].pack("nN"))) # reduces the window by ten, to minus five
        talk.send(frame(8, 0, 1, [9].pack("N")))
        assert_equal [[4, 1, 0]], seen
        talk.send(frame(8, 0, 1, [90].pack("N")))
        assert_equal [[0, 1, 1]], seen
        talk.send(frame(8, 0, 1, [2**31 - 1].pack("N"))) # ignored on a closed stream
        assert_empty talk.answers
      end

      def test_the_connections_window
        talk { Response.new(200, {}, "x" * 60_000) }
        talk.send(frame(4, 0, 0, [4, 2**31 - 1].pack("nN"))).open(1).open(3)
        sent = talk.answers.select { |a| a.type.zero? }
        assert_equal 65_535, sent.sum { |a| a.payload.bytesize }
        assert_operator sent.map { |a| a.payload.bytesize }.max, :<=, 16_384
        talk.send(frame(8, 0, 0, [200_000].pack("N")))
        assert_equal 120_000 - 65_535, talk.answers.sum { |a| a.payload.bytesize }
      end

      def test_a_streams_window_past_all_bounds
        talk { Response.new(200, {}, "x" * 100_000) }.open(1)
        talk.answers
        talk.send(frame(8, 0, 1, [2**31 - 1].pack("N")))
        assert_empty resets
        talk.send(frame(8, 0, 1, [1].pack("N")))
        assert_equal [[1, :FLOW_CONTROL_ERROR]], resets
        talk.open(3).answers
        talk.send(frame(4, 0, 0, [4, 2**31 - 1].pack("nN")))
        talk.send(frame(8, 0, 3, [2**31 - 1].pack("N")))
        assert_equal [[3, :FLOW_CONTROL_ERROR]], resets
      end

      # Bytes that the handler has read are returned to the windows, half a window at a time.
      def test_an_upload
        got = +""
        talk(limits: limits(stream_window: 1000)) do |request|
          request.body.on_chunk { |part| got << part }
          request.body.on_end { |late| request.answer(Response.text(200, "#{got.size} #{late["x"]}")) }
          nil
        end
        talk.open(1, talk.post(content_length: "900"), flags: 4)
        talk.send(frame(0, 0, 1, "a" * 300) + frame(0, 8, 1, "\x09#{"b" * 190}#{"\0" * 9}"))
        assert_equal [500], talk.answers.map(&:word)
        talk.send(frame(0, 0, 1, "c" * 410)).send(frame(1, 5, 1, talk.block("x", "late")))
        assert_equal "900 late", talk.answers.last.payload
      end

      # If the handler does not read, the client must stop. At the end of the stream, unread bytes are returned to the
      # connection's window.
      def test_an_unread_upload
        talk(limits: limits(stream_window: 1000)) { nil }
        talk.open(1, talk.post, flags: 4).send(frame(0, 0, 1, "a" * 1000))
        assert_empty talk.answers
        talk.send(frame(0, 0, 1, "a"))
        assert_equal [[1, :FLOW_CONTROL_ERROR]], resets
      end

      def test_a_content_length_that_is_wrong
        talk { nil }
        talk.open(1, talk.post(content_length: "3"), flags: 4).send(frame(0, 1, 1, "ab"))
        talk.open(3, talk.post(content_length: "3"), flags: 4).send(frame(0, 0, 3, "abcd"))
        assert_equal [[1, :PROTOCOL_ERROR], [3, :PROTOCOL_ERROR]], resets
      end

      # Section 8.1: the rest of a request after its response is discarded without an error.
      def test_an_early_answer
        talk.open(1, talk.post, flags: 4)
        assert_equal [[1, 4, 1], [0, 1, 1]], seen
        talk.send(frame(0, 0, 1, "late")).send(frame(1, 5, 1, talk.block("x", "late")))
        assert_empty talk.answers
        refute_predicate talk.protocol, :busy?
        talk.open(3, talk.post(content_length: "3"), flags: 4).send(frame(0, 1, 3, "late"))
        assert_equal [[3, :PROTOCOL_ERROR]], resets
      end

      # One limit bounds the unread bytes of all clients.
      def test_windows_of_many_connections
        pool = Limits::WindowPool.new(100_000)
        connection = Connection::Null.new(window_pool: pool)
        talks = Array.new(3) { Conversation.new(connection: connection) { nil } }
        sizes = talks.map do |talk|
          talk.open(1, talk.post, flags: 4)
          30.times { talk.send(frame(0, 0, 1, "x" * 16_384)) unless talk.protocol.finished? }
          talk.protocol.window.instance_variable_get(:@full)
        end
        assert_equal [165_535, 65_535, 65_535], sizes
        assert_equal [true] * 3, talks.map { |talk| talk.protocol.finished? } # exceeds the offered window
        talks.each { |talk| talk.protocol.close }
        assert_equal 100_000, pool.left
      end

      # A client that continues to send is reset later, because curl treats a reset together with the response as an
      # error. Until then its bytes are discarded and returned to the windows.
      def test_an_early_answer_to_a_large_request
        talk.open(1, talk.post(content_length: "70000"), flags: 4).open(3, talk.post, flags: 4)
        assert_equal [[1, 4, 1], [0, 1, 1], [1, 4, 3], [0, 1, 3]], seen
        talk.send(frame(4, 1))
        ends = (0..31).flat_map do |second|
          16.times { talk.send(frame(0, 0, 3, "x" * 16_384)) }
          windows = talk.answers
          talk.protocol.late?(100 + second)
          (windows + talk.answers).filter_map { |answer| [second, answer.stream, answer.word] if answer.type == 3 }
        end
        assert_equal [[2, 1, ErrorCode::NO_ERROR], [30, 3, ErrorCode::NO_ERROR]], ends
        talk.send(frame(0, 1, 1, "late")).send(frame(1, 5, 3, talk.block("x", "late")))
        assert_empty talk.answers
        refute_predicate talk.protocol, :busy?
      end

      def test_trailers_and_parts
        talk { Response.new(200, {}, ["a", "", "bc"].each, trailers: -> { { "x-sum" => "3" } }) }.open(1)
        answers = talk.answers
        assert_equal "abc", answers.select { |a| a.type.zero? }.map(&:payload).join
        talk.fields(answers.first)
        assert_equal [1, 5], [answers.last.type, answers.last.flags]
        assert_equal %w[x-sum 3], talk.fields(answers.last)
        talk.requests.clear
        @talk = nil
        talk { Response.new(200, {}, [].each) }.open(1)
        assert_equal [[1, 5, 1]], seen
      end

      # Frames on a closed stream: DATA resets it, RST_STREAM, WINDOW_UPDATE and PRIORITY are ignored, and a second
      # HEADERS ends the connection (section 5.1).
      def test_frames_on_streams_that_are_over
        talk.open(1).answers
        talk.send(frame(0, 0, 1, "x"))
        assert_equal [[1, :STREAM_CLOSED]], resets
        talk.send(frame(8, 0, 1, "\0\0\0\x01") + frame(3, 0, 1, "\0\0\0\x01") + frame(2, 0, 1, "\0\0\0\0\1"))
        assert_empty talk.answers
        talk.open(5).answers
        talk.open(5)
        assert_equal ErrorCode::STREAM_CLOSED, talk.answers.last.word(4)
        @talk = nil
        talk.open(5).answers
        talk.open(3)
        assert_equal ErrorCode::PROTOCOL_ERROR, talk.answers.last.word(4)
      end

      def test_half_closed_streams
        talk { nil }.open(1)
        talk.send(frame(0, 0, 1, "x"))
        assert_equal [[1, :STREAM_CLOSED]], resets
        talk.open(3).open(3)
        assert_equal [[3, :STREAM_CLOSED]], resets
      end

      def test_priority_and_dependence_on_oneself
        talk.send(frame(2, 0, 1, "\0\0\0\x03\x10"))
        assert_empty talk.answers
        talk.send(frame(2, 0, 3, "\0\0\0\x03\x10"))
        assert_equal [[3, :PROTOCOL_ERROR]], resets
        talk.send(frame(2, 0, 5, "\0\0\0\x03"))
        assert_equal [[5, :FRAME_SIZE_ERROR]], resets
        talk.open(7, "\0\0\0\x07\x10".b + talk.get, flags: 0x25)
        assert_equal [[7, :PROTOCOL_ERROR]], resets
      end

      def test_too_many_streams
        talk(limits: limits(streams: 2)) { nil }
        [1, 3, 5].each { |stream| talk.open(stream) }
        assert_equal [[5, :REFUSED_STREAM]], resets
        talk.send(frame(3, 0, 1, "\0\0\0\x08")).open(7)
        assert_empty talk.answers
      end

      def test_too_many_fields
        talk(limits: limits(header_fields: 10))
        talk.open(1, talk.get("/", **(1..7).to_h { |n| ["x#{n}", "y"] }))
        assert_equal %w[:status 431], talk.fields(talk.answers.first).first(2)
        assert_empty talk.requests
        talk.open(3, talk.get("/", **(1..6).to_h { |n| ["x#{n}", "y"] }))
        assert_equal 1, talk.requests.size
      end

      def test_continuation_flood
        talk(limits: limits(continuations: 4)).send(frame(1, 1, 1, "\x82") + frame(9, 0, 1, "") * 5)
        assert_calmed
        @talk = nil
        talk.send(frame(1, 1, 1, "\x82") + frame(9, 0, 1, "\x82" * 16_384) * 5)
        assert_calmed
      end

      { rst_stream: ->(talk, n) { talk.open(2 * n + 1, talk.get).frame(3, 0, 2 * n + 1, "\0\0\0\x08") },
        ping: ->(talk, _) { talk.frame(6, 0, 0, "12345678") },
        settings: ->(talk, _) { talk.frame(4) },
        priority: ->(talk, _) { talk.frame(2, 0, 9, "\0\0\0\x03\x10") },
        unknown: ->(talk, _) { talk.frame(99) },
        reset_by_us: ->(talk, n) { talk.open(2 * n + 1).frame(8, 0, 2 * n + 1, "\0\0\0\0") } }.each do |name, attack|
        define_method("test_flood_of_#{name}") do
          talk(limits: limits(control_frames: 50, control_frames_per_second: 0)) { nil }
          sent = (0..60).find do |n|
            talk.send(attack.call(talk, n))
            talk.protocol.finished?
          end
          assert_includes 47..52, sent
          assert_calmed
        end
      end

      # If a client does not read, responses use bounded memory, and its further requests are not read.
      def test_a_peer_that_does_not_read
        talk(limits: limits(control_frames: 1_000_000))
        40.times { talk.send(frame(6, 0, 0, "12345678") * 500) }
        assert_operator talk.write_buffer.pending, :<=, Native::WriteBuffer::BYTES
        refute_predicate talk.protocol, :finished?
      end

      # Section 6.8: requests in flight at the first GOAWAY are accepted, and those after the second are not.
      def test_leaving
        talk { nil }.open(1)
        talk.protocol.leave
        assert_equal [[7, 0, 0], [6, 0, 0]], seen(answers = talk.answers)
        assert_equal [2**31 - 1, 0], [answers[0].word, answers[0].word(4)]
        talk.open(3)
        talk.send(frame(6, 1, 0, answers[1].payload))
        assert_equal [[7, 0, 0]], seen(answers = talk.answers)
        assert_equal [3, 0], [answers[0].word, answers[0].word(4)]
        talk.open(5).send(frame(0, 1, 5, "late"))
        assert_empty talk.answers
        refute_predicate talk.protocol, :finished?
        talk.requests.each { |request| request.answer(Response.text(200, "ok")) }
        assert_equal %w[ok ok], talk.answers.select { |a| a.type.zero? }.map(&:payload)
        assert_predicate talk.protocol, :finished?
        assert_equal 2, talk.requests.size
      end

      def test_leaving_a_peer_that_does_not_answer
        talk.protocol.leave
        talk.answers
        talk.protocol.late?(10)
        refute_predicate talk.protocol, :finished?
        talk.protocol.late?(11.5)
        assert_equal [[7, 0, 0]], seen
        assert_predicate talk.protocol, :finished?
      end

      def test_fields_that_no_response_may_have
        talk { Response.new(200, { "x" => "a\r\nb" }) }.open(1)
        assert_equal %w[:status 500], talk.fields(talk.answers.first).first(2)
        @talk = nil
        talk { Response.new(200, { "Connection" => "close", "X-Many" => %w[a b] }) }.open(1)
        assert_equal %w[:status 200 x-many a x-many b date], talk.fields(talk.answers.first)[0..6]
      end

      def test_a_file_that_shrank
        path = write("file", "x" * 1000)
        talk { Response.new(200, {}, File.open(path).tap { File.truncate(path, 10) }) }.open(1)
        File.write(path, "x" * 1000)
        @talk = nil
        talk do
          file = File.open(path)
          Response.new(200, {}, Response::Body::FileRange.new(file, 0, 2000))
        end
        talk.open(1)
        assert_equal [[1, :INTERNAL_ERROR]], resets
      end
    end
  end
end
