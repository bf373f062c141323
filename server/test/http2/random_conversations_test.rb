# frozen_string_literal: true

require "test_helper"
require "support/conversation"

module Spate
  module Server
    # Random sequences of frames, most of them legal. None causes an internal error, leaves a stream open or loses bytes
    # of the connection's window. A failure reports its seed.
    class RandomConversationsTest < Minitest::Test
      WINDOW = 70_000
      COUNT = 400

      # One random conversation of a client with a server.
      class Play
        attr_reader :talk

        def initialize(seed)
          @random = Random.new(seed)
          @waiting = []
          @opened = []
          @now = 1.0
          limits = Limits.new(streams: 8, stream_window: 2000, connection_window: WINDOW, control_frames: 10_000,
                              frames_per_tick: number(1..20), body: [nil, 1500].sample(random: @random),
                              settings_seconds: 1000, idle: 1000)
          @talk = Conversation.new(limits: limits) { |request| answer(request) }
        end

        def run
          number(5..60).times do
            step
            break if @talk.protocol.finished?
          end
          @talk.protocol.close
        end

        private

        def number(range) = @random.rand(range)
        def one_in(count) = @random.rand(count).zero?
        def word(type, stream, number) = @talk.frame(type, 0, stream, [number].pack("N"))

        def step
          bytes = frame
          cut = one_in(10) ? number(0..bytes.bytesize) : 0
          @talk.send(bytes.byteslice(0, cut)).send(bytes.byteslice(cut..))
          @talk.answers if one_in(3)
          @waiting.shift&.answer(Response.new(200, {}, "z" * number(0..40_000))) if one_in(4)
          @talk.protocol.leave if one_in(80)
          @talk.protocol.late?(@now += number(0.0..8.0)) if one_in(5)
          30.times { @talk.protocol.ready? ? @talk.send("").answers : break }
        end

        def answer(request)
          case number(0..5)
          when 0 then Response.text(200, "ok")
          when 1 then Response.new(200, {}, "x" * number(0..100_000))
          when 2 then @waiting.push(request) && nil
          when 3 then Response.new(200, {}, ["a" * number(0..9000), "", "b"].each, trailers: { "x" => "y" })
          when 4 then count(request)
          else raise "an error of the handler"
          end
        end

        def count(request)
          return Response.new(204) unless request.body

          request.body.on_chunk { nil }.on_end { request.answer(Response.text(200, "read")) }
          nil
        end

        def frame
          return open if @opened.empty?

          stream = @opened.sample(random: @random)
          case number(0..11)
          when 0..2 then open
          when 3, 4 then @talk.frame(0, number(0..1), stream, "d" * number(0..1200))
          when 5 then word(8, one_in(2) ? 0 : stream, number(1..70_000))
          when 6 then settings([1, number(0..5000)], [4, number(0..70_000)])
          when 7 then word(3, stream, 8)
          when 8 then @talk.frame(16, 0, 0, "#{[stream].pack("N")}u=#{number(0..9)}#{",i" if one_in(2)}".b)
          when 9 then @talk.frame(6, number(0..1), 0, "goodbye?")
          when 10 then @talk.frame(2, 0, stream, [number(100..200), 1].pack("NC"))
          else one_in(9) ? anything(stream) : @talk.frame(99)
          end
        end

        def settings(*pairs) = @talk.frame(4, 0, 0, pairs.sample(random: @random).pack("nN"))
        def anything(stream) = @talk.frame(number(0..19), number(0..255), stream, @random.bytes(number(0..20)))

        def open
          @opened << (@opened.last || -1) + 2
          return @talk.frame(1, 5, @opened.last, @talk.get("/", priority: "u=#{number(0..9)}")) if one_in(2)

          @talk.frame(1, 4, @opened.last, one_in(2) ? @talk.post : @talk.post(content_length: number(0..3000).to_s))
        end
      end

      def test_conversations
        whole = (1..COUNT).count { |seed| check(Play.new(seed), seed) }
        assert_operator whole, :>, COUNT / 4, "conversations that went on to their end"
      end

      # Runs one conversation. Returns whether the connection survived.
      def check(play, seed)
        play.run
        protocol = play.talk.protocol
        assert_empty protocol.streams, "seed #{seed}"
        return false if protocol.instance_variable_get(:@failed)

        full, *parts = %i[@full @size @taken].map { |name| protocol.window.instance_variable_get(name) }
        assert_equal full, parts.sum, "seed #{seed}"
        assert_operator full, :<=, WINDOW, "seed #{seed}"
        true
      rescue StandardError => e
        raise e.class, "seed #{seed}: #{e.message}", e.backtrace
      end
    end
  end
end
