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
    end
  end
end
