# frozen_string_literal: true

module Spate
  module JS
    module Registry
      # An archive's address and the credentials for it, with the interface that Spate::HTTP expects.
      class Remote
        # The registry's address, for messages and events; without credentials.
        attr_reader :source
        # Configuration::NerfDart::Found.
        attr_reader :credentials

        # address: Configuration::Address, with or without credentials of its own. source: the registry it belongs to.
        def initialize(address, source:, credentials:)
          @address = address
          @source = source
          @credentials = credentials
        end

        # URI of the archive; it has no other parts.
        def locate(_path = nil)
          @uri ||= begin
            require "uri"
            URI(to_s).tap { |uri| raise URI::Error unless uri.host&.downcase == @address.host }
          end
        rescue URI::Error
          raise Spate::Registry::UnsupportedSource, to_s
        end

        # Value of the Authorization header, or nil.
        def authorization
          @credentials.authorization || (userinfo && Spate::HTTP.basic(userinfo))
        end

        # Where it came from, for messages.
        def origin = @credentials.authorization ? "#{@credentials.place} in npm's configuration" : "the address itself"
        # The client certificate that a connection presents; connections of different ones are not shared.
        def identity = @credentials.certificate? ? @credentials : nil
        def mirror? = false
        def file? = false
        def to_s = @address.to_s

        private

        def userinfo = @address.userinfo
      end
    end
  end
end
