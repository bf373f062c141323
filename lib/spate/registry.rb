# frozen_string_literal: true

module Spate
  # Gem sources: where an archive comes from, and how it is known to be the right one. Whoever has to install something
  # comes here; only Remotes and what they need are light.
  #
  # Remote::        a source as one application sees it: the address to ask (a mirror's, maybe) and the credentials for
  #                 it
  # Trust::         which answers of a source may stand for each other, from one application to the next
  # Connections::   open HTTP connections, idle ones are handed to whichever thread asks next
  # Exchange::      one request and its answer, redirects followed
  # Download::      one archive on its way to the disk
  # Freshness::     how long a source's word counts unasked
  # CompactIndex::  what a source says about a gem (/info/NAME), kept on disk
  # Client::        all of it together; what the installer talks to
  # Vendor::        archives that the application carries itself (vendor/cache)
  module Registry
    autoload :Archive, "spate/registry/archive"
    autoload :Certificates, "spate/registry/certificates"
    autoload :ChecksumMismatch, "spate/registry/errors"
    autoload :Client, "spate/registry/client"
    autoload :CompactIndex, "spate/registry/compact_index"
    autoload :Connections, "spate/registry/connections"
    autoload :CredentialsRefused, "spate/registry/errors"
    autoload :CredentialsRequired, "spate/registry/errors"
    autoload :Download, "spate/registry/download"
    autoload :Error, "spate/registry/errors"
    autoload :Exchange, "spate/registry/exchange"
    autoload :FetchResult, "spate/registry/fetch_result"
    autoload :Forbidden, "spate/registry/errors"
    autoload :Freshness, "spate/registry/freshness"
    autoload :Gemrc, "spate/registry/gemrc"
    autoload :IndexFile, "spate/registry/index_file"
    autoload :Info, "spate/registry/info"
    autoload :InsecureRedirect, "spate/registry/errors"
    autoload :Misdirected, "spate/registry/errors"
    autoload :Netrc, "spate/registry/netrc"
    autoload :NotAnArchive, "spate/registry/errors"
    autoload :NotAnIndex, "spate/registry/errors"
    autoload :NotFound, "spate/registry/errors"
    autoload :Proxy, "spate/registry/proxy"
    autoload :Published, "spate/registry/published"
    autoload :Remote, "spate/registry/remote"
    autoload :Remotes, "spate/registry/remotes"
    autoload :Seen, "spate/registry/seen"
    autoload :Status, "spate/registry/errors"
    autoload :TooLarge, "spate/registry/errors"
    autoload :Trust, "spate/registry/trust"
    autoload :TooManyRedirects, "spate/registry/errors"
    autoload :Truncated, "spate/registry/errors"
    autoload :Unreachable, "spate/registry/errors"
    autoload :UnsupportedSource, "spate/registry/errors"
    autoload :Untrusted, "spate/registry/errors"
    autoload :Vendor, "spate/registry/vendor"
    autoload :Versions, "spate/registry/versions"
  end
end
