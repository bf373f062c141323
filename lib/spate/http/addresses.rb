# frozen_string_literal: true

require "socket"
require "timeout"

module Spate
  module HTTP
    # Addresses of hosts, each looked up once: where thirty threads ask at the same time, resolvers drop some of the
    # questions, and each of these costs five seconds.
    class Addresses
      # Raised where another address of the same host may do better.
      UNREACHED = [SystemCallError, Timeout::Error].freeze

      # A look-up: its thread, since a call of the resolver cannot be cancelled, and when its callers give up (nil:
      # never).
      Search = Struct.new(:thread, :ends) do
        # [String]. Raises SocketError.
        def result(host)
          return thread.value if thread.join(ends && [ends - Util.now, 0].max)

          raise SocketError, "the name #{host} was not looked up in time"
        end
      end
      private_constant :Search

      # limit: seconds that a look-up is waited for, by all together; nil as long as it takes.
      def initialize(limit = nil)
        @limit = limit
        @searches = {}
        @preferred = {}
        @mutex = Mutex.new
      end

      # Yields the addresses of a host (String) one after the other until the block connects. Returns its result.
      # Raises its last error, and SocketError for an unknown name.
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

      # Callers that wait share its failure; a later call starts another look-up.
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
