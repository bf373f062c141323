# frozen_string_literal: true

require "socket"
require "timeout"

module Spate
  module HTTP
    # Addresses of hosts. Each host is looked up once: if thirty threads look up at the same time, resolvers drop some
    # of the queries, and each dropped query costs five seconds.
    class Addresses
      # Errors after which another address of the same host may work.
      UNREACHED = [SystemCallError, Timeout::Error].freeze

      # A lookup: its thread, since a resolver call cannot be cancelled, and the time when its callers give up (nil:
      # never).
      Search = Struct.new(:thread, :ends) do
        # Returns [String]. Raises SocketError.
        def result(host)
          return thread.value if thread.join(ends && [ends - Util.now, 0].max)

          raise SocketError, "DNS lookup of #{host} timed out"
        end
      end
      private_constant :Search

      # limit: maximum seconds of a lookup for all callers together; nil for no limit.
      def initialize(limit = nil)
        @limit = limit
        @searches = {}
        @preferred = {}
        @mutex = Mutex.new
      end

      # Yields the addresses of a host (String) in sequence until the block connects. Returns its result. Raises the
      # block's last error, or SocketError for an unknown name.
      def reach(host)
        all = [*@preferred[host], *search(host)].uniq
        all.each_with_index do |address, number|
          result = yield address
          @preferred[host] = address if number.positive?
          return result
        rescue *UNREACHED
          raise if number == all.size - 1
        end
      end

      private

      # Waiting callers get the same error; a later call starts another lookup.
      def search(host)
        search = @mutex.synchronize { @searches[host] ||= begun(host) }
        search.result(host)
      rescue StandardError
        @mutex.synchronize { @searches.delete(host) if @searches[host].equal?(search) && !search.thread.alive? }
        raise
      end

      def begun(host)
        thread = Thread.new do
          Thread.current.report_on_exception = false
          look_up(host)
        end
        Search.new(thread, @limit && (Util.now + @limit))
      end

      def look_up(host) = Addrinfo.getaddrinfo(host, nil, nil, :STREAM).map(&:ip_address).uniq
    end
  end
end
