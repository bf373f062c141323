# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # A parsed URL. Deciding where a request goes, which credentials it carries and which lists allow it uses this one
      # parse. URLs that two parsers could read as different hosts are rejected.
      class Address
        # The user's part ends at the last @ before the path.
        PARTS = %r{\A(?<scheme>[a-z][a-z0-9+.-]*)://(?:(?<userinfo>[^/?#]*)@)?
                   (?<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?<port>\d*))?
                   (?<path>/[^?#]*)?(?<query>\?[^#]*)?(?:\#.*)?\z}xi
        # Backslashes are slashes to some; control characters are left out by some.
        UNSAFE = /[\\[:cntrl:][:space:]]/
        # Ends the host for some, and for others belongs to the user before it.
        TORN = %r{\A[^/]*//[^/?#]*[?#].*@}
        PORTS = { "http" => "80", "https" => "443" }.freeze
        private_constant :PARTS, :UNSAFE, :TORN, :PORTS

        # nil if text is not a valid address.
        def self.parse(text)
          return unless text.is_a?(String) && text.valid_encoding? && !UNSAFE.match?(text)

          found = PARTS.match(text)
          new(found) if found && !(found[:path].nil? && TORN.match?(text))
        end

        # userinfo: "user:password" as it is written, or nil. path: with its "/". query: with its "?", or "".
        attr_reader :scheme, :userinfo, :host, :port, :path, :query

        def initialize(parts)
          @scheme, @userinfo, @host, @port, @path, @query = parts.captures
          @scheme = @scheme.downcase
          @host = @host.downcase
          @port = nil if @port == "" || @port == PORTS[@scheme]
          @path ||= "/"
          @query ||= ""
        end

        # "host:port", without the port that its scheme means anyway.
        def authority = [@host, @port].compact.join(":")
        # "https://host:port".
        def origin = "#{@scheme}://#{authority}"
        # The whole without user and fragment.
        def to_s = "#{origin}#{@path}#{@query}"
        # Hides credentials.
        def inspect = "#<#{self.class} #{origin}>"
      end
    end
  end
end
