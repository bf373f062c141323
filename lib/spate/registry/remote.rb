# frozen_string_literal: true

require "uri"

module Spate
  module Registry
    # A gem source and how to ask it.
    class Remote
      # As the lockfile writes it: "https://gems.test/", never with credentials.
      attr_reader :source
      # URI to ask, the source's own or its mirror's; without credentials, with its slash.
      attr_reader :uri
      # Where the credentials came from, for messages ("the setting gems.test"); nil without.
      attr_reader :origin

      # userinfo: "user:password" or "token", escaped as in a URI; nil without.
      def initialize(source, uri, userinfo: nil, origin: nil)
        @source = source
        @uri = uri
        @userinfo = userinfo
        @origin = origin
      end

      def file? = uri.scheme == "file"
      def mirror? = uri.to_s != source

      # Value of the Authorization header, or nil.
      def authorization = @userinfo && Remote.basic(@userinfo)

      # URI of something in it, e.g. "gems/rake-13.0.6.gem".
      def locate(path) = URI("#{uri}#{path}")

      def to_s = source

      # "user:password", both escaped as in a URI, to "Basic ...".
      def self.basic(userinfo)
        user, password = userinfo.split(":", 2).map { |part| URI.decode_www_form_component(part) }
        "Basic #{["#{user}:#{password}"].pack("m0")}"
      rescue ArgumentError # a stray "%": then it was not escaped
        "Basic #{[userinfo].pack("m0")}"
      end
    end
  end
end
