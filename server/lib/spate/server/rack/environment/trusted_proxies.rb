# frozen_string_literal: true

require "ipaddr"

module Spate
  module Server
    module Rack
      class Environment
        # The proxies whose x-forwarded-ssl and x-forwarded-proto are trusted. Other clients may falsely claim TLS.
        class TrustedProxies
          # The name of all clients of a Unix socket.
          UNIX = "unix"
          # Maximum number of cached addresses.
          REMEMBERED = 1024

          # names: addresses, networks ("10.0.0.0/8") or "unix". Raises Server::Error.
          def initialize(names)
            @unix = names.include?(UNIX)
            @networks = (names - [UNIX]).map { |name| network(name) }
            @known = {}
          end

          # Whether a trusted proxy has received the request over TLS. Uses the last value of a list, because earlier
          # ones may come from the client.
          def https?(request)
            return false unless trusted?(request.peer)

            ssl = request["x-forwarded-ssl"]
            return true if ssl && last(ssl) == "on"

            proto = request["x-forwarded-proto"]
            !proto.nil? && last(proto) == "https"
          end

          private

          def network(name)
            IPAddr.new(name)
          rescue IPAddr::Error
            raise Error.new("#{name.inspect} is not an address or network",
                            hint: "--trusted-proxies 127.0.0.1,10.0.0.0/8,#{UNIX}")
          end

          def trusted?(peer)
            return @unix if peer.nil?
            return @known[peer] if @known.key?(peer)

            @known.clear if @known.size >= REMEMBERED
            @known[peer] = @networks.any? { |network| network.include?(IPAddr.new(peer).native) }
          end

          def last(list) = list.b.downcase[/[^,]*\z/].strip
        end
      end
    end
  end
end
