# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # A Connection without a socket, for protocols and requests in tests. Posted blocks run at once.
      class Null
        # A Limits::WindowPool, or nil.
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
        # Returns false: without a socket, no later tick sends pending output.
        def ticks? = false
        def answered(*) = nil
        def refused(*) = nil
        # Returns false: a connection without a socket cannot hand one over.
        def detach = false

        ONE = new.freeze
      end
    end
  end
end
