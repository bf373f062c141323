# frozen_string_literal: true

module Spate
  # The HTTP client for gem sources, npm registries and the team's cache.
  #
  #   Client        requests, redirects, and conversion of failures to errors
  #   Connections   keep-alive connections: Session is one of them, Meter limits its pace, Addresses looks up hosts
  #   Download      saves a file under its name only when it is complete
  #   Proxy, Certificates, Gemrc, Netrc   the user's configuration for all requests
  #   Error         the errors of failed requests
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

    # Converts "user:password", both percent-encoded, to the value of an Authorization header.
    def self.basic(userinfo)
      user, password = userinfo.split(":", 2).map { |part| URI.decode_www_form_component(part) }
      "Basic #{["#{user}:#{password}"].pack("m0")}"
    rescue ArgumentError # a stray "%": it was not percent-encoded
      "Basic #{[userinfo].pack("m0")}"
    end
  end
end
