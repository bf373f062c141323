# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # Stands in for a Connection: for protocols and requests without a socket, as in tests. What is posted runs at
      # once.
      class Null
        # A Limits::WindowPool or nil.
        attr_reader :window_pool

        def initialize(window_pool: nil)
          @window_pool = window_pool
        end

        def active_at = nil
        def peer = nil
        def scheme = nil
        def limits = nil
        def here? = true
        def post = yield
        # There is no next tick, in which pending output would be sent.
        def ticks? = false
        def answered(*) = nil
        def refused(*) = nil
        # It has no socket to give away.
        def detach = false

        ONE = new.freeze
      end
    end
  end
end
