# frozen_string_literal: true

require "socket"
require "timeout"

module Spate
  module HTTP
    # Looks up addresses of hosts. Each host is looked up once. If thirty threads do it at the same time, resolvers drop
    # some of the queries, and each dropped query takes five seconds.
    class Addresses
      # Errors after which another address of the host is tried.
      CONNECTION_ERRORS = [SystemCallError, Timeout::Error].freeze

      # A lookup. It has a thread, because a resolver call cannot be cancelled. ends: the monotonic time when the
      # callers give up, or nil for never.
      Search = Struct.new(:thread, :ends) do
        # Returns [String]. Raises SocketError.
        def result(host)
          return thread.value if thread.join(ends && [ends - Util.now, 0].max)

          raise SocketError, "DNS lookup of #{host} timed out"
        end
      end
      private_constant :Search

      # limit: time limit of a lookup (seconds) for all its callers together, or nil.
      def initialize(limit = nil)
        @limit = limit
        @searches = {}
        @preferred = {}
        @mutex = Mutex.new
      end

      # Yields the addresses of a host (String) one after the other until the block connects. Returns the block's
      # result. Raises the block's last error, or SocketError for an unknown host.
      def try_each(host)
        all = [*@preferred[host], *search(host)].uniq
        all.each_with_index do |address, number|
          result = yield address
          @preferred[host] = address if number.positive?
          return result
        rescue *CONNECTION_ERRORS
          raise if number == all.size - 1
        end
      end

      private

      # All waiting callers receive the same error. A later call starts another lookup.
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
