# frozen_string_literal: true

module Spate
  module Registry
    # A gem source and how to ask it.
    class Remote
      SCHEME = /\A(?:https?|file):/i

      # As the lockfile writes it: "https://gems.test/", never with credentials.
      attr_reader :source
      # The address to ask, the source's own or its mirror's; without credentials, with its slash.
      attr_reader :address
      # Where the credentials came from, for messages ("the setting gems.test"); nil without.
      attr_reader :origin
      # The domain under which its answers are kept, see Trust.
      attr_reader :domain

      # userinfo: "user:password" or "token", escaped as in a URI; nil without.
      def initialize(source, address, domain:, userinfo: nil, origin: nil)
        @source = source
        @address = address
        @domain = domain
        @userinfo = userinfo
        @origin = origin
      end

      # The address as a URI, which an install from the store does not need. Raises UnsupportedSource.
      def uri
        raise UnsupportedSource, address unless SCHEME.match?(address)

        require "uri"
        @uri ||= parsed
      end

      # Its client certificate is that of all connections.
      def identity = nil
      def file? = address.start_with?("file:")
      def mirror? = address != source

      # Value of the Authorization header, or nil.
      def authorization = @userinfo && HTTP.basic(@userinfo)

      # URI of something in it, e.g. "gems/rake-13.0.6.gem".
      def locate(path) = uri && URI("#{address}#{path}")

      # For a folder: the path of something in it.
      def path(inside) = URI.decode_www_form_component("#{uri.path}#{inside}".gsub("+", "%2B"))

      def to_s = source

      private

      def parsed
        URI(address)
      rescue URI::Error
        raise UnsupportedSource, address
      end
    end
  end
end
