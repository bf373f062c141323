# frozen_string_literal: true

module Spate
  module JS
    # Fetches packages' archives. Requests, retries and errors are those of gem sources (Spate::Registry); this module
    # adds npm's configuration.
    #
    #   Locator   the address of a package's archive
    #   Remote    such an address, and the credentials to send to it
    #   Client    fetches
    module Registry
      autoload :Advice, "spate/js/registry/errors"
      autoload :Certificates, "spate/js/registry/certificates"
      autoload :Client, "spate/js/registry/client"
      autoload :Locator, "spate/js/registry/locator"
      autoload :NotADocument, "spate/js/registry/errors"
      autoload :Proxy, "spate/js/registry/proxy"
      autoload :Remote, "spate/js/registry/locator"
      autoload :UnsupportedAddressError, "spate/js/registry/errors"
    end
  end
end
