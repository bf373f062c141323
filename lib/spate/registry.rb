# frozen_string_literal: true

module Spate
  # Gem sources: fetches archives and verifies them. The installer calls Client. Except for Client, only Remotes and its
  # dependencies are on the hot path.
  #
  #   Remote   a source for one application: the address to use (perhaps a mirror's) and its credentials
  #   Trust    decides which responses of a source can be used for other applications
  #   Index    indexes of sources, cached on disk, and their expiry
  #   Vendor   archives in vendor/cache
  module Registry
    autoload :Archive, "spate/registry/archive"
    autoload :Client, "spate/registry/client"
    autoload :Remote, "spate/registry/remote"
    autoload :Remotes, "spate/registry/remotes"
    autoload :Trust, "spate/registry/trust"
    autoload :Vendor, "spate/registry/vendor"

    %i[ChecksumMismatch NotAnArchive NotAnIndex NotFound UnsupportedSource]
      .each { |name| autoload name, "spate/registry/errors" }

    # Reads the indexes of sources.
    module Index
      autoload :ArchiveValidators, "spate/registry/index/archive_validators"
      autoload :CachedPage, "spate/registry/index/cached_page"
      autoload :Checksums, "spate/registry/index/checksums"
      autoload :CompactIndex, "spate/registry/index/compact_index"
      autoload :Freshness, "spate/registry/index/freshness"
      autoload :Info, "spate/registry/index/info"
      autoload :Pages, "spate/registry/index/pages"
      autoload :Published, "spate/registry/index/published"
      autoload :Versions, "spate/registry/index/versions"
    end
  end
end
