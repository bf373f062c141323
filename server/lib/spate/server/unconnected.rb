# frozen_string_literal: true

module Spate
  module Server
    # In the place of a Connection: for protocols that are given bytes, and requests that are made, by hand. What is
    # posted runs at once.
    class Unconnected
      # room: of its windows, an Allowance::Room or nil.
      attr_reader :room

      def initialize(room: nil)
        @room = room
      end

      def active_at = nil
      def peer = nil
      def scheme = nil
      def limits = nil
      def here? = true
      def post = yield
      # Nobody gives it another turn, in which what is made now would be sent.
      def turns? = false
      def answered(*) = nil
      def refused(*) = nil
      # It has no socket to give away.
      def detach = false

      NONE = new.freeze
    end
  end
end
