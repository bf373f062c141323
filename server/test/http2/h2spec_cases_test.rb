# frozen_string_literal: true

require "test_helper"
require "support/conversation"
require "support/h2spec_cases"

module Spate
  module Server
    # The server responds to the cases of h2spec as h2spec expects. The bytes of the cases are in support/h2spec_cases.
    # benchmark/h2spec runs h2spec itself.
    class H2specCasesTest < Minitest::Test
      include HTTP2

      def answers(spec)
        talk = Conversation.new(greet: !spec.raw) { Response.text(200, "five bytes or more") }
        answers = spec.parts.flat_map { |part| talk.send_all(part).answers }
        [talk.protocol, answers]
      end

      def codes(answers, type, at) = answers.select { |a| a.type == type }.map { |a| ErrorCode::NAMES[a.word(at)] }

      def met?(expected, protocol, answers)
        case expected
        in [:connection, codes] then protocol.finished? && codes.include?(codes(answers, 7, 4).last)
        in [:stream, codes] then codes(answers, 3, 0).concat(codes(answers, 7, 4)).intersect?(codes)
        in [:data, length] then answers.reverse.find { |a| a.type.zero? }&.payload&.bytesize == length
        in :headers then answers.any? { |a| a.type == 1 && a.stream == 1 } && !protocol.finished?
        in :pong then answers.any? { |a| a.type == 6 && a.flags == 1 && a.payload == "12345678" }
        in :settings then answers.first&.type == 4 && answers.first.flags.zero?
        in :settings_ack then answers.any? { |a| a.type == 4 && a.flags == 1 }
        in :closed then protocol.finished?
        end
      end

      H2specCases.all.each do |spec|
        define_method("test_#{spec.id}_#{spec.name.tr(" ", "_")}") do
          protocol, answers = answers(spec)
          assert met?(spec.expected, protocol, answers), "#{spec.expected.inspect} was expected: #{answers.inspect}"
        end
      end

      def test_all_cases
        groups = H2specCases.all.map { |spec| spec.id[/\A\w+/] }.tally
        assert_equal({ "generic" => 44, "http2" => 95, "hpack" => 8 }, groups)
        assert_equal H2specCases.all.size, H2specCases.all.map(&:id).uniq.size
      end
    end
  end
end
