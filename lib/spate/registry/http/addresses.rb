# frozen_string_literal: true

require "socket"
require "timeout"

module Spate
  module Registry
    module HTTP
      # Addresses of hosts, each looked up once: where thirty threads ask at the same time, resolvers drop some of the
      # questions, and each of these costs five seconds.
      class Addresses
        # Raised where another address of the same host may do better.
        UNREACHED = [SystemCallError, Timeout::Error].freeze

        def initialize
          @found = {}
          @mutex = Mutex.new
        end

        # Yields the addresses of a host (String) one after the other until the block raises no more that there is
        # nobody. Returns what the block returns. Raises what it raised last, and SocketError for an unknown name.
        def reach(host)
          all = @mutex.synchronize { @found[host] ||= look_up(host) }
          all.each_with_index do |address, number|
            result = yield address
            prefer(host, address) if number.positive?
            return result
          rescue *UNREACHED
            raise if number == all.size - 1
          end
        end

        private

        def look_up(host) = Addrinfo.getaddrinfo(host, nil, nil, :STREAM).map(&:ip_address).uniq

        def prefer(host, address)
          @mutex.synchronize { @found[host] = [address, *@found[host]].uniq }
        end
      end
    end
  end
end
