# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # SERVER_NAME and SERVER_PORT from a request's authority (RFC 3986, section 3.2). The results are cached, because
      # the same authorities recur.
      class Authority
        HOST = /\A(\[[\h:.]+\]|[-A-Za-z0-9._~%!$&'()*+,;=]+)(?::(\d*))?\z/
        PORTS = { "http" => "80", "https" => "443" }.freeze
        REMEMBERED = 256
        # Maximum length of a host name with a port, in bytes.
        LONGEST = 262

        def initialize(scheme)
          @port = PORTS.fetch(scheme, "80")
          @known = {}
        end

        # Returns [name, port], or nil if the authority is malformed.
        def parse(authority)
          @known[authority] || remember(authority)
        end

        private

        def remember(authority)
          match = authority.valid_encoding? && HOST.match(authority) or return
          port = match[2].to_s.empty? ? @port : match[2]
          place = [-match[1], -port].freeze
          return place if authority.bytesize > LONGEST

          @known.clear if @known.size >= REMEMBERED
          @known[authority] = place
        end
      end
    end
  end
end
