# frozen_string_literal: true

module Spate
  module JS
    class Configuration
      # Credentials by the address they belong to: "//host:port/path/:_authToken". An address has those of the longest
      # path that it is below; other addresses on a registry's own host have the registry's. No other host has any.
      class NerfDart
        # Placeholder for the public registry until its address is known.
        PUBLIC = "//public/"

        # Credentials for requests to an address.
        #
        # place:: "//host/path/", the prefix of its keys
        # authorization:: the value of the header, or nil
        # certfile, keyfile:: paths of a client's certificate and its key, or nil; cert, key:: the same as PEM
        Found = Struct.new(:place, :authorization, :certfile, :keyfile, :cert, :key, keyword_init: true) do
          # Whether there is a client's certificate.
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

        # Found of an address (String). registry: the package's registry, with its "/"; nil if unknown.
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

        # The longest of all places above an address that has credentials; with and without the slash at its end.
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

        # Whether there is a certificate for all registries. Other hosts do not see it.
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

      # A parsed URL. Deciding where a request goes, which credentials it carries and which lists allow it uses this one
      # parse. URLs that two parsers could read as different hosts are rejected.
      class Address
        # The user's part ends at the last @ before the path.
        PARTS = %r{\A(?<scheme>[a-z][a-z0-9+.-]*)://(?:(?<userinfo>[^/?#]*)@)?
                   (?<host>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::(?<port>\d*))?
                   (?<path>/[^?#]*)?(?<query>\?[^#]*)?(?:\#.*)?\z}xi
        # Backslashes are slashes to some; control characters are left out by some.
        UNSAFE = /[\\[:cntrl:][:space:]]/
        # Ends the host for some, and for others belongs to the user before it.
        TORN = %r{\A[^/]*//[^/?#]*[?#].*@}
        PORTS = { "http" => "80", "https" => "443" }.freeze
        private_constant :PARTS, :UNSAFE, :TORN, :PORTS

        # nil if text is not a valid address.
        def self.parse(text)
          return unless text.is_a?(String) && text.valid_encoding? && !UNSAFE.match?(text)

          found = PARTS.match(text)
          new(found) if found && !(found[:path].nil? && TORN.match?(text))
        end

        # userinfo: "user:password" as it is written, or nil. path: with its "/". query: with its "?", or "".
        attr_reader :scheme, :userinfo, :host, :port, :path, :query

        def initialize(parts)
          @scheme, @userinfo, @host, @port, @path, @query = parts.captures
          @scheme = @scheme.downcase
          @host = @host.downcase
          @port = nil if @port == "" || @port == PORTS[@scheme]
          @path ||= "/"
          @query ||= ""
        end

        # "host:port", without the port that its scheme means anyway.
        def authority = [@host, @port].compact.join(":")
        # "https://host:port".
        def origin = "#{@scheme}://#{authority}"
        # The whole without user and fragment.
        def to_s = "#{origin}#{@path}#{@query}"
        # Hides credentials.
        def inspect = "#<#{self.class} #{origin}>"
      end

      # Credentials that do not say to whom they belong. npm takes them no more; pnpm gives them to the registry that
      # the same file names, never to one that another file does.
      module Unscoped
        KEYS = %w[_auth _authToken username _password].freeze
        OLD_SPELLINGS = %w[_authtoken -authtoken].freeze
        PINNED = [*KEYS, "cert", "key"].freeze
        private_constant :KEYS, :OLD_SPELLINGS, :PINNED

        module_function

        # Whether a key holds a credential, scoped to a host or not.
        def auth?(key) = key.match?(/(?:\A|:)(?:_auth|_authToken|_password|username|cert|certfile|key|keyfile)\z/)

        # [[file, key], ...] of a file's keys that npm refuses.
        def problems(level)
          return [] unless %i[project user global].include?(level.name)

          [*OLD_SPELLINGS, *KEYS].select { |key| level.settings[key] }.map { |key| [level.path, key] }
        end

        # The values of one file with its credentials addressed to its own registry, if it names one: without, they
        # would be the public registry's.
        def pinned(values)
          loose = values.slice(*PINNED)
          return values if loose.empty?

          registry = values["registry"]
          place = registry.is_a?(String) ? NerfDart.of(registry) : NerfDart::PUBLIC
          loose.transform_keys { |key| "#{place}:#{key}" }.merge(values.except(*PINNED))
        end
      end

      # Settings that Spate does not support: the project's own tool must restore, so that no registry gets a request
      # with the wrong settings.
      module Unsupported
        # A program that makes tokens; authorities for one address only.
        ADDRESSED = /:(?:tokenHelper|ca|cafile)\z/
        # Its name is a setting to npm, which may fail by the value or take it for true.
        SECTION = /\A\[/
        PROXIES = %w[https-proxy http-proxy proxy].freeze
        private_constant :ADDRESSED, :SECTION, :PROXIES

        module_function

        # [String], for people: keys, and no values.
        def reasons(configuration)
          keys = configuration.list.keys
          found = keys.grep(ADDRESSED) + keys.grep(SECTION) + keys.select { |key| key == "tokenHelper" }
          found << "local-address" if configuration["local-address"]
          found += PROXIES.select { |key| foreign_proxy?(configuration[key]) }
          found.map { |key| "#{key} is set" }
        end

        # Of another kind than HTTP, or reached by TLS itself.
        def foreign_proxy?(address) = address.is_a?(String) && address.match?(%r{\A(?!http://)[a-z][a-z0-9+.-]*://}i)
      end
    end
  end
end
