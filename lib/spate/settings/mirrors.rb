# frozen_string_literal: true

module Spate
  class Settings
    # Mirrors of gem sources: `mirror.all`, `mirror.URI`, `mirror.HOST`, each with its `fallback_timeout`.
    class Mirrors
      # uri: String with a trailing slash. timeout: in seconds; 0 means that the mirror is used without a check.
      Mirror = Struct.new(:uri, :timeout)

      NAME = %r{\Amirror\.(all|.+?)(\.fallback_timeout)?/?\z}
      DEFAULT_TIMEOUT = 0.1

      # settings: an object with `names` and `[]`.
      def self.from(settings, probe: nil)
        all = Hash.new { |mirrors, source| mirrors[source] = Mirror.new(nil, 0) }
        settings.names.each do |name|
          next unless (match = NAME.match(name))

          source = match[1].start_with?("http") ? Key.with_slash(match[1]) : match[1]
          value = settings[name]
          match[2] ? all[source].timeout = timeout(value) : all[source].uri = Key.with_slash(value.to_s)
        end
        new(all.to_h, probe)
      end

      # The timeout in seconds. `true` means Bundler's short default.
      def self.timeout(value)
        case value
        when true, "true" then DEFAULT_TIMEOUT
        when false, nil, "false" then 0
        else value.to_i
        end
      end

      # mirrors: {source (String with a trailing slash, host, or "all") => Mirror}. probe: an object with `replies?(uri,
      # timeout)`.
      def initialize(mirrors, probe = nil)
        @mirrors = mirrors.select { |_, mirror| mirror.uri }
        @probe = probe
        @valid = {}
      end

      def any? = @mirrors.any?

      # {source => Mirror}, for reports.
      def to_h = @mirrors

      # The URI (String with a trailing slash) to use for a source.
      def for(uri)
        uri = Key.with_slash(uri)
        return uri if @mirrors.empty?

        all = @mirrors["all"]
        return all.uri if all && valid?(all)

        source = uri.downcase
        mirror = @mirrors[source] || @mirrors[source[Credentials::HOST, 1]]
        mirror && valid?(mirror) ? mirror.uri : uri
      end

      private

      # Whether a mirror can be used. A mirror with a timeout must accept a connection in time. This is checked once per
      # run.
      def valid?(mirror)
        return true if mirror.timeout.zero?

        @valid.fetch(mirror) { @valid[mirror] = (@probe || Probe).replies?(mirror.uri, mirror.timeout) }
      end

      # Whether a host accepts a TCP connection in time.
      module Probe
        PORTS = { "http" => 80, "https" => 443 }.freeze
        ADDRESS = %r{\A(https?)://(?:[^/?#@]*@)?(\[[^\]]+\]|[^:/?#]+)(?::(\d+))?}i

        # seconds: the timeout for each address of the host.
        def self.replies?(uri, seconds)
          require "socket"
          scheme, host, port = ADDRESS.match(uri)&.captures
          return false unless host

          Addrinfo.getaddrinfo(host.delete("[]"), port || PORTS[scheme.downcase], nil, :STREAM).any? do |address|
            connects?(address, seconds)
          end
        rescue SocketError
          false
        end

        def self.connects?(address, seconds)
          address.connect(timeout: seconds).close
          true
        rescue SystemCallError, IOError
          false
        end
        private_class_method :connects?
      end
    end

    # Finds user and password for a source, by its whole address or else by its host.
    class Credentials
      HOST = %r{\A[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?(\[[^\]]+\]|[^:/?#]+)}i

      def initialize(settings)
        @settings = settings
      end

      def for(uri)
        value = (@settings[uri] if uri.start_with?("http")) || by_host(uri)
        value.is_a?(String) && !value.empty? ? value : nil
      end

      private

      def by_host(uri)
        host = uri[HOST, 1]
        @settings[host.downcase] if host
      end
    end
  end
end
