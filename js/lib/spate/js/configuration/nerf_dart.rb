# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Credentials by address: "//host:port/path/:_authToken". A request uses the credentials with the longest path
      # that contains its address. Other addresses on a registry's host use the registry's credentials. Other hosts
      # receive none.
      class NerfDart
        # Placeholder for the public registry until its address is known.
        PUBLIC = "//public/"

        # Credentials for requests to an address.
        #
        # place:: "//host/path/", the prefix of its keys
        # authorization:: the value of the header, or nil
        # certfile, keyfile:: paths of a client's certificate and its key, or nil; cert, key:: the same as PEM
        Found = Struct.new(:place, :authorization, :certfile, :keyfile, :cert, :key, keyword_init: true) do
          # Whether there is a client certificate.
          def certificate? = !(certfile && keyfile).nil? || !(cert && key).nil?
          # Hides secrets.
          def inspect = "#<#{self.class} #{place}>"
          alias_method :to_s, :inspect
        end
        NOTHING = Found.new.freeze

        # "https://host/path/page" => "//host/path/", nil if the address is invalid.
        def self.of(address) = exact(address)&.slice(%r{\A.*/})

        # "https://host/path/page?query" => "//host/path/page".
        def self.exact(address)
          found = Address.parse(address) or return
          "//#{found.authority}#{found.path}"
        end

        # "host:port" of an address, nil if it is invalid.
        def self.host(address) = Address.parse(address)&.authority

        def initialize(configuration)
          @configuration = configuration
          @mutex = Mutex.new
          @found = {}
        end

        # Returns a Found. address: String. registry: the package's registry, with its "/"; nil if unknown.
        def for(address, registry)
          return NOTHING if values.empty? && !general?

          asked, own = [address, registry].map { |text| Address.parse(text) }
          return NOTHING if asked.nil? || (asked.scheme == "http" && own&.scheme != "http") # http is unencrypted

          own = asked.authority == own&.authority
          place = place_of(address) || (place_of(registry) if own)
          @mutex.synchronize { @found[[place, own]] ||= found(place, own) }
        end

        private

        def values
          @values ||= @configuration.addressed.transform_keys do |key|
            key.start_with?(PUBLIC) ? key.sub(PUBLIC, public_place.to_s) : key
          end
        end

        def public_place = @configuration.public_registry&.then { |address| NerfDart.of(address) }

        # The longest prefix of an address that has credentials, with or without a trailing slash.
        def place_of(address)
          place = NerfDart.exact(address)
          while place && place.length > 2
            return place if auth?(place)

            place = place.sub(%r{(?:[^/]+|/)\z}, "")
          end
          nil
        end

        def auth?(place)
          given?(place, "_authToken") || given?(place, "_auth") ||
            (given?(place, "username") && given?(place, "_password")) ||
            (given?(place, "certfile") && given?(place, "keyfile")) || (given?(place, "cert") && given?(place, "key"))
        end

        def given?(place, name)
          value = values["#{place}:#{name}"]
          value && value != ""
        end

        # Whether a client certificate is set for all registries. It is not sent to other hosts.
        def general? = !(@configuration["cert"] && @configuration["key"]).nil?

        def found(place, own)
          found = place ? addressed(place) : NOTHING
          return found if found.certificate? || !own || !general?

          found.dup.tap { |copy| copy.cert, copy.key = @configuration["cert"], @configuration["key"] }.freeze
        end

        def addressed(place)
          value = ->(name) { values["#{place}:#{name}"] if given?(place, name) }
          Found.new(place: place, authorization: authorization(value), certfile: value["certfile"],
                    keyfile: value["keyfile"], cert: value["cert"], key: value["key"]).freeze
        end

        def authorization(value)
          return "Bearer #{value["_authToken"]}" if value["_authToken"]
          return "Basic #{value["_auth"]}" if value["_auth"]
          return unless value["username"] && value["_password"]

          "Basic #{["#{value["username"]}:#{value["_password"].unpack1("m")}"].pack("m0")}"
        end
      end

      # A parsed URL. Connections, credentials and allowlists all use this one parse. Rejects URLs that two parsers
      # could read as different hosts.
      class Address
        # The user's part ends at the last @ before the path.
        PARTS = %r{\A(?<scheme>[a-z][a-z0-9+.-]*)://(?:(?<userinfo>[^/?#]*)@)?
                   (?<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?<port>\d*))?
                   (?<path>/[^?#]*)?(?<query>\?[^#]*)?(?:\#.*)?\z}xi
        # Some parsers treat backslashes as slashes; some drop control characters.
        UNSAFE = /[\\[:cntrl:][:space:]]/
        # A ? or # before an @. It ends the host for some parsers; for others it is part of the user before the host.
        TORN = %r{\A[^/]*//[^/?#]*[?#].*@}
        PORTS = { "http" => "80", "https" => "443" }.freeze
        private_constant :PARTS, :UNSAFE, :TORN, :PORTS

        # nil if text is not a valid address.
        def self.parse(text)
          return unless text.is_a?(String) && text.valid_encoding? && !UNSAFE.match?(text)

          found = PARTS.match(text)
          new(found) if found && !(found[:path].nil? && TORN.match?(text))
        end

        # userinfo: "user:password" in its original spelling, or nil. path: with its "/". query: with its "?", or "".
        attr_reader :scheme, :userinfo, :host, :port, :path, :query

        def initialize(parts)
          @scheme, @userinfo, @host, @port, @path, @query = parts.captures
          @scheme = @scheme.downcase
          @host = @host.downcase
          @port = nil if @port == "" || @port == PORTS[@scheme]
          @path ||= "/"
          @query ||= ""
        end

        # "host:port", without the scheme's default port.
        def authority = [@host, @port].compact.join(":")
        # "https://host:port".
        def origin = "#{@scheme}://#{authority}"
        # The whole address without user and fragment.
        def to_s = "#{origin}#{@path}#{@query}"
        # Hides credentials.
        def inspect = "#<#{self.class} #{origin}>"
      end

      # Credentials without an address. npm no longer accepts them; pnpm uses them for the registry that the same file
      # names, never for a registry from another file.
      module Unscoped
        KEYS = %w[_auth _authToken username _password].freeze
        OLD_SPELLINGS = %w[_authtoken -authtoken].freeze
        PINNED = [*KEYS, "cert", "key"].freeze
        private_constant :KEYS, :OLD_SPELLINGS, :PINNED

        module_function

        # Whether a key contains a credential, with or without a host.
        def auth?(key) = key.match?(/(?:\A|:)(?:_auth|_authToken|_password|username|cert|certfile|key|keyfile)\z/)

        # [[file, key], ...] of a file's keys that npm rejects.
        def problems(level)
          return [] unless %i[project user global].include?(level.name)

          [*OLD_SPELLINGS, *KEYS].select { |key| level.settings[key] }.map { |key| [level.path, key] }
        end

        # The values of one file, with its credentials assigned to the registry that the file sets, otherwise to the
        # public registry.
        def pinned(values)
          loose = values.slice(*PINNED)
          return values if loose.empty?

          registry = values["registry"]
          place = registry.is_a?(String) ? NerfDart.of(registry) : NerfDart::PUBLIC
          loose.transform_keys { |key| "#{place}:#{key}" }.merge(values.except(*PINNED))
        end
      end

      # Settings that Spate does not support. The project's own tool has to restore, because Spate would send requests
      # with wrong settings.
      module Unsupported
        # A program that creates tokens; certificate authorities for a single address.
        ADDRESSED = /:(?:tokenHelper|ca|cafile)\z/
        # npm treats a section's name as a setting. Depending on its value it is invalid or counts as true.
        SECTION = /\A\[/
        PROXIES = %w[https-proxy http-proxy proxy].freeze
        private_constant :ADDRESSED, :SECTION, :PROXIES

        module_function

        # [String] for the user. Contains the keys, without values.
        def reasons(configuration)
          keys = configuration.list.keys
          found = keys.grep(ADDRESSED) + keys.grep(SECTION) + keys.select { |key| key == "tokenHelper" }
          found << "local-address" if configuration["local-address"]
          found += PROXIES.select { |key| foreign_proxy?(configuration[key]) }
          found.map { |key| "#{key} is set" }
        end

        # Whether the proxy uses a protocol other than HTTP, or is itself reached by TLS.
        def foreign_proxy?(address) = address.is_a?(String) && address.match?(%r{\A(?!http://)[a-z][a-z0-9+.-]*://}i)
      end
    end
  end
end
