# frozen_string_literal: true

module Spate
  # What one machine made, for the others of a team: blobs by their SHA-256 ("cas/<hex>") and documents by a key
  # ("ac/<hex>"), as Bazel's remote cache names them, at a server, in a bucket or in a folder.
  #
  #   Address      where a cache is, as its user writes it
  #   HTTP, S3, Folder   the transports: each gets, puts and lists names, and knows nothing of what is in them
  #   Unavailable  why a cache did not do what it was asked to; never a reason for an install to fail
  #
  # A transport answers:
  #
  #   get(name, limit:)         what is there (String of bytes), nil where there is nothing
  #   fetch(name, to:, limit:)  writes it to a path, where it appears whole or not at all; its bytes, or nil
  #   head(name)                its size in bytes, or nil
  #   put(name, source)         source: a String of bytes, or an open File, sent from its start; true
  #   each(prefix)              yields (name, size, Time) of what begins with "cas/" or "ac/"; HTTP raises Unsupported
  #   delete(name)              true, also where there was nothing
  #   close                     ends all requests at once, from any thread: they raise Unavailable, reason :closed
  #
  # All of it may be called by many threads, and raises Unavailable. No more than `limit` bytes are ever taken. A name
  # of another form is an ArgumentError.
  module RemoteCache
    autoload :Address, "spate/remote_cache/address"
    autoload :Builds, "spate/remote_cache/builds"
    autoload :Document, "spate/remote_cache/document"
    autoload :Entry, "spate/remote_cache/entry"
    autoload :Folder, "spate/remote_cache/folder"
    autoload :HTTP, "spate/remote_cache/http"
    autoload :InvalidAddress, "spate/remote_cache/errors"
    autoload :Malformed, "spate/remote_cache/errors"
    autoload :Pack, "spate/remote_cache/pack"
    autoload :Refused, "spate/remote_cache/errors"
    autoload :S3, "spate/remote_cache/s3"
    autoload :Transport, "spate/remote_cache/transport"
    autoload :Trust, "spate/remote_cache/trust"
    autoload :Unavailable, "spate/remote_cache/errors"
    autoload :Unsupported, "spate/remote_cache/errors"

    NAME = %r{\A(?:ac|cas)/[0-9a-f]{64}\z}
    # Seconds: to connect, and between two reads.
    CONNECT = 2
    READ = 10

    # Of an Address, or of its text. settings: Spate::Settings, for certificates and credentials. Raises InvalidAddress.
    def self.transport(address, env: ENV.to_h, settings: {}, connect: CONNECT, read: READ)
      address = Address.parse(address) unless address.is_a?(Address)
      return Folder.new(address) if address.kind == :folder

      requests = Transport::Requests.by(env: env, settings: settings, timeout: read, connect: connect)
      return S3.new(address, requests, env: env) if address.kind == :s3

      HTTP.new(address, requests, env: env, settings: settings)
    end

    def self.name(text)
      return text if text.is_a?(String) && NAME.match?(text)

      raise ArgumentError, "no name in a cache: #{text.inspect}, expected ac/ or cas/ and 64 hexadecimal digits"
    end
  end
end
