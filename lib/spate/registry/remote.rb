# frozen_string_literal: true

module Spate
  module Registry
    # A gem source, and how to send requests to it.
    class Remote
      SCHEME = /\A(?:https?|file):/i

      # The source as in the lockfile, "https://gems.test/", always without credentials.
      attr_reader :source
      # The address for requests: the source's or its mirror's, without credentials and with a trailing slash.
      attr_reader :address
      # The origin of the credentials for messages ("the setting gems.test"), or nil if there are none.
      attr_reader :origin
      # The domain under which the source's responses are stored: see Trust.
      attr_reader :domain

      # userinfo: "user:password" or "token", escaped as in a URI; nil if there are none.
      def initialize(source, address, domain:, userinfo: nil, origin: nil)
        @source = source
        @address = address
        @domain = domain
        @userinfo = userinfo
        @origin = origin
      end

      # The address as a URI. Parsed on demand, since an install from the store does not need it. Raises
      # UnsupportedSource.
      def uri
        raise UnsupportedSource, address unless SCHEME.match?(address)

        require "uri"
        @uri ||= parsed
      end

      # nil, because the client certificate is the same for all connections.
      def identity = nil
      def file? = address.start_with?("file:")
      def mirror? = address != source

      # Value of the Authorization header, or nil.
      def authorization = @userinfo && HTTP.basic(@userinfo)

      # The URI of a path below the source, e.g. "gems/rake-13.0.6.gem".
      def locate(path) = uri && URI("#{address}#{path}")

      # The absolute path of a file in a source with a file: address.
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
