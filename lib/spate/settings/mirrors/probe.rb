# frozen_string_literal: true

require "socket"

module Spate
  class Settings
    class Mirrors
      # Whether a host accepts a TCP connection in time.
      module Probe
        PORTS = { "http" => 80, "https" => 443 }.freeze
        ADDRESS = %r{\A(https?)://(?:[^/?#@]*@)?(\[[^\]]+\]|[^:/?#]+)(?::(\d+))?}i

        # seconds: for each address of the host.
        def self.replies?(uri, seconds)
          scheme, host, port = ADDRESS.match(uri)&.captures
          return false unless host

          Addrinfo.getaddrinfo(host.delete("[]"), port || PORTS[scheme.downcase], nil, :STREAM).any? do |address|
            connects?(address, seconds)
          end
        rescue SocketError
          false
        end

        def self.connects?(address, seconds)
          address.connect(timeout: seconds).close
          true
        rescue SystemCallError, IOError
          false
        end
        private_class_method :connects?
      end
    end
  end
end
