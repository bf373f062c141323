# frozen_string_literal: true

module Spate
  # Shares results between the machines of a team, through a server, a bucket or a folder. Uses the names of Bazel's
  # remote cache: blobs have the name "cas/<SHA-256>", and documents have the name "ac/<digest of a key>".
  #
  #   Address            the location of a cache, as written by the user
  #   HTTP, S3, Folder   the transports, which read, write and list names
  #   Transport          their common code: reading into memory or a file, requests, responses within limits
  #   Unavailable        the reason why a request failed; never fails an install
  #
  #   Builds     chooses a usable build from a document, and the builds of this store that may be sent
  #   GemfileChecks   like Builds, for Bundler's evaluations of a Gemfile
  #   Document   the value of a key: up to eight entries, in a format that Bazel's caches accept
  #   Entry      a signed result and its inputs
  #   Trust      the keys whose signatures are accepted
  #   Pack       packs a build's files into one file, and unpacks it into a store
  #
  #   Client         reads from a cache during one install
  #   Push           sends entries to a cache
  #   Contents       removes old entries of a cache, and verifies entries
  #
  # A transport has these methods:
  #
  #   get(name, limit:)         the content (String of bytes), or nil if the name does not exist
  #   fetch(name, to:, limit:)  writes the content atomically to a path; returns its length in bytes, or nil
  #   head(name)                the size of the content in bytes, or nil
  #   time(name)                the time of the last write (Time), or nil if unknown
  #   ahead                     seconds by which this machine's clock is ahead of the one that those times are from; 0
  #                             if unknown
  #   put(name, source)         source: a String of bytes, or an open File, sent from its start; true. With fresh: true
  #                             false if it exists already, if a server can detect that: do not rely on it
  #   each(prefix)              yields (name, size, Time) for all names with the prefix "cas/" or "ac/"; may raise
  #   Unsupported
  #   delete(name)              returns true, also if the name does not exist
  #   sweep(dry:)               removes files left by killed writers after a day; returns [number of files, bytes]
  #   close                     aborts all requests from any thread; they raise Unavailable with the reason :closed
  #
  # All methods are thread-safe and may raise Unavailable. They never read more than `limit` bytes, and raise
  # ArgumentError for an invalid name.
  module RemoteCache
    autoload :Address, "spate/remote_cache/address"
    autoload :Builds, "spate/remote_cache/builds"
    autoload :Client, "spate/remote_cache/client"
    autoload :Contents, "spate/remote_cache/contents"
    autoload :Document, "spate/remote_cache/document"
    autoload :Entry, "spate/remote_cache/entry"
    autoload :Folder, "spate/remote_cache/folder"
    autoload :HTTP, "spate/remote_cache/http"
    autoload :Pack, "spate/remote_cache/pack"
    autoload :Push, "spate/remote_cache/push"
    autoload :S3, "spate/remote_cache/s3"
    autoload :Transport, "spate/remote_cache/transport"
    autoload :Trust, "spate/remote_cache/trust"
    autoload :GemfileChecks, "spate/remote_cache/gemfile_checks"

    %i[InvalidAddress Malformed Refused TooLong Unavailable Unsupported]
      .each { |name| autoload name, "spate/remote_cache/errors" }

    SETTING = "spate.cache"
    VARIABLE = "SPATE_CACHE"
    # Disables the cache. In the variable it overrides the setting.
    OFF = "off"
    PLACES = { local: ".bundle/config", environment: "BUNDLE_SPATE__CACHE", global: "your configuration" }.freeze
    # A marker file in a store whose compile caches may contain code compiled by other machines. Without this file, the
    # code for trust is not loaded.
    COMPILED = "compile-cache/.others"
    NAME = %r{\A(?:ac|cas)/[0-9a-f]{64}\z}
    # Time limits in seconds for connecting and for each read.
    CONNECT = 2
    READ = 10

    class << self
      # Whether an application uses a cache. If not, no other code of the cache is loaded.
      def set?(settings) = !none?(found(settings).first)

      def none?(text) = ["", OFF].include?(text.to_s.b.strip)

      # [the effective value (String or nil), the name of the variable or file from which it comes]
      def found(settings)
        text = settings.env[VARIABLE] and return [text, VARIABLE]
        [settings[SETTING], PLACES[settings.origin(SETTING)]]
      end

      # The Address of the cache in use, or nil. Raises InvalidAddress.
      def address(settings) = (Address.parse(found(settings).first.to_s.b.strip) if set?(settings))

      # The Client of the cache in use, with the time limits of an install.
      def client(settings, events:)
        place = address(settings)
        Client.new(events: events) do |seconds|
          transport(place, env: settings.env, settings: settings, connect: Client::CONNECT, read: seconds,
                           pace: Client::PACE)
        end
      end

      # The transport for an Address, or for its text. settings: Spate::Settings, for certificates and credentials.
      # pace: minimum rate of responses. Raises InvalidAddress, or Unavailable if the S3 settings of this machine are
      # contradictory.
      def transport(address, env: ENV.to_h, settings: {}, connect: CONNECT, read: READ,
                    pace: Spate::HTTP::Meter::LOWEST)
        address = Address.parse(address) unless address.is_a?(Address)
        return Folder.new(address) if address.kind == :folder

        requests = Transport::Requests.by(env: env, settings: settings, timeout: read, connect: connect, pace: pace)
        return S3.new(address, requests, env: env) if address.kind == :s3

        HTTP.new(address, requests, env: env, settings: settings)
      end

      # Returns a valid name unchanged. Raises ArgumentError if it is invalid.
      def name(text)
        return text if text.is_a?(String) && NAME.match?(text)

        raise ArgumentError, "not a name in a cache: #{text.inspect}, expected ac/ or cas/ and 64 hexadecimal digits"
      end
    end
  end
end
