# frozen_string_literal: true

module Spate
  # The HTTP client of gem sources, npm registries and the team's cache.
  #
  #   Client        requests, redirects, and which errors they end with
  #   Connections   kept open between requests; Session is one of them, Meter watches its pace, Addresses looks up hosts
  #   Download      a file, saved under its name whole or not at all
  #   Proxy, Certificates, Gemrc, Netrc   what the user has configured for all requests
  #   Error         what a user reads of a request that failed
  module HTTP
    autoload :Addresses, "spate/http/addresses"
    autoload :Certificates, "spate/http/certificates"
    autoload :Connections, "spate/http/connections"
    autoload :Download, "spate/http/download"
    autoload :Gemrc, "spate/http/gemrc"
    autoload :Meter, "spate/http/meter"
    autoload :Netrc, "spate/http/netrc"
    autoload :Proxy, "spate/http/proxy"
    autoload :Session, "spate/http/session"
    %i[Client Redirect].each { |name| autoload name, "spate/http/client" }

    %i[
      CredentialsRefused CredentialsRequired Endless Error Forbidden InsecureRedirect Misdirected RedirectError Status
      TooLarge TooManyRedirects TooSlow Truncated Unreachable Untrusted
    ].each { |name| autoload name, "spate/http/errors" }

    # "user:password", both escaped as in a URI, to the value of an Authorization header.
    def self.basic(userinfo)
      user, password = userinfo.split(":", 2).map { |part| URI.decode_www_form_component(part) }
      "Basic #{["#{user}:#{password}"].pack("m0")}"
    rescue ArgumentError # a stray "%": then it was not escaped
      "Basic #{[userinfo].pack("m0")}"
    end
  end
end
