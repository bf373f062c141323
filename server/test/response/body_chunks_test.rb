# frozen_string_literal: true

require "test_helper"

module Spate
  module Server
    # Bodies out of an Enumerator.
    class BodyChunksTest < Minitest::Test
      # HTTP/1.1 announces each piece by what is at hand: a part that did not fit goes on with what is left of it.
      def test_what_is_left_of_a_part
        outbox = Native::Outbox.new([])
        body = Response.new(200, {}, ["abcdef", "", "gh"].each_entry).body
        assert_equal [6, 4, 2, 2, 2],
                     [body.at_hand, body.raw(outbox, 4), body.at_hand, body.raw(outbox, 4), body.at_hand]
        assert_equal [2, 0, true, "abcdefgh"], [body.raw(outbox, 9), body.at_hand, body.done?, outbox.to_s]
      end
    end
  end
end
