# frozen_string_literal: true

module Spate
  # Shares the results of one machine with the other machines of a team: blobs by their SHA-256 ("cas/<hex>") and
  # documents by a key ("ac/<hex>"), as Bazel's remote cache names them, at a server, in a bucket or in a folder.
  #
  #   Address            where a cache is, as its user writes it
  #   HTTP, S3, Folder   the transports: each gets, puts and lists names, and ignores the contents
  #   Transport          their common code: reading into memory or a file, requests, responses within limits
  #   Unavailable        why a request to a cache failed; never a reason for an install to fail
  #
  #   Builds     which build of a document fits here, and which builds of this store may be sent
  #   GemfileChecks   like Builds, for Bundler's evaluations of a Gemfile
  #   Document   the value of a key: up to eight entries, in a form that Bazel's caches check
  #   Entry      one result, signed, and its inputs
  #   Trust      whose entries are accepted
  #   Pack       a build's files as one file, and back into a store
  #
  #   Client         a cache in one run of an install
  #   Push           sends entries
  #   Contents       removes old entries of a cache, and verifies all
  #
  # A transport has these methods:
  #
  #   get(name, limit:)         the content (String of bytes), nil if there is none
  #   fetch(name, to:, limit:)  writes it atomically to a path; its length in bytes, or nil
  #   head(name)                its size in bytes, or nil
  #   time(name)                when it was written (Time), nil if unknown
  #   ahead                     seconds by which this machine's clock is ahead of the one that those times are from; 0
  #                             if unknown
  #   put(name, source)         source: a String of bytes, or an open File, sent from its start; true. With fresh: true
  #                             false if it exists already, if a server can detect that: do not rely on it
  #   each(prefix)              yields (name, size, Time) of all with prefix "cas/" or "ac/"; may raise Unsupported
  #   delete(name)              true, also if there was nothing
  #   sweep(dry:)               removes files of killed writers after a day: returns the number of files, and bytes
  #   close                     ends all requests at once, from any thread: they raise Unavailable, reason :closed
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
    # A file in a store that marks that its compile caches may contain code compiled by other machines. Without the
    # file, the code for trust is not loaded.
    COMPILED = "compile-cache/.others"
    NAME = %r{\A(?:ac|cas)/[0-9a-f]{64}\z}
    # Seconds to connect, and between two reads.
    CONNECT = 2
    READ = 10

    class << self
      # Whether an application uses a cache. If not, no other code of the cache is loaded.
      def set?(settings) = !none?(found(settings).first)

      def none?(text) = ["", OFF].include?(text.to_s.b.strip)

      # [the effective value of the variable or setting (String or nil), the name of its origin]
      def found(settings)
        text = settings.env[VARIABLE] and return [text, VARIABLE]
        [settings[SETTING], PLACES[settings.origin(SETTING)]]
      end

      # Address of the cache in use, or nil. Raises InvalidAddress.
      def address(settings) = (Address.parse(found(settings).first.to_s.b.strip) if set?(settings))

      # The Client of the cache in use, with the time limits of an install.
      def client(settings, events:)
        place = address(settings)
        Client.new(events: events) do |seconds|
          transport(place, env: settings.env, settings: settings, connect: Client::CONNECT, read: seconds,
                           pace: Client::PACE)
        end
      end

      # Returns the transport for an Address, or for its text. settings: Spate::Settings, for certificates and
      # credentials. pace: minimum rate of responses. Raises InvalidAddress, and Unavailable if the S3 settings of this
      # machine contradict each other.
      def transport(address, env: ENV.to_h, settings: {}, connect: CONNECT, read: READ,
                    pace: Spate::HTTP::Meter::LOWEST)
        address = Address.parse(address) unless address.is_a?(Address)
        return Folder.new(address) if address.kind == :folder

        requests = Transport::Requests.by(env: env, settings: settings, timeout: read, connect: connect, pace: pace)
        return S3.new(address, requests, env: env) if address.kind == :s3

        HTTP.new(address, requests, env: env, settings: settings)
      end

      # Returns the name. Raises ArgumentError if it is invalid.
      def name(text)
        return text if text.is_a?(String) && NAME.match?(text)

        raise ArgumentError, "no name in a cache: #{text.inspect}, expected ac/ or cas/ and 64 hexadecimal digits"
      end
    end
  end
end
