# frozen_string_literal: true

module Spate
  module Registry
    # A fetched archive.
    #
    # bytes::    Integer, its size
    # sha256::   hex
    # source::   String, the source's address as the lockfile writes it
    # verified:: what vouches for it: :lockfile (CHECKSUMS), :index (the source's compact index), or :archive (only the
    #            checksums inside, which prove nothing about its author: recorded as unverified)
    # domain::   the source's (see Trust) where it is the source that vouches, else nil
    FetchResult = Struct.new(:bytes, :sha256, :source, :verified, :domain)
  end
end
