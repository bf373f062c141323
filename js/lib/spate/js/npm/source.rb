# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # Converts the origin of a place's archive to a Package. Raises LeftToTool if npm has to fetch the archive.
      class Source
        # Git dependencies. npm packs these itself, and runs their scripts for it.
        GIT = %r{\A(?:git(?:\+[a-z]+)?:|github:|gitlab:|bitbucket:|gist:)|\A[a-z+]+://[^#?]+\.git(?:#|\z)}i
        REMOTE = %r{\Ahttps?://}i
        ARCHIVE = /\.(?:tgz|tar\.gz|tar)\z/i

        # whose: the lockfile's path, for messages.
        def initialize(whose)
          @whose = whose
          @packages = {}
        end

        # The Package of a place. Returns the same object for the same archive. Raises LockfileError, LeftToTool.
        def package(place)
          entry = place.entry
          text = entry["integrity"]
          name = place.package_name
          key = text && entry["version"] ? [text, name, entry["resolved"]] : place
          @packages[key] ||= Package.new(name: name, version: entry["version"], integrity: integrity(place, text),
                                         resolved: resolved(place, entry["resolved"]))
        end

        private

        def integrity(place, text)
          return unless text

          Package::Integrity.parse(text) or raise LockfileError.new(
            "#{@whose}: #{place.path}: unsupported integrity #{text.inspect[0, 60]}: expected SHA-512, 384, 256 or 1",
            hint: "the lockfile may have been edited: compare it with its last commit"
          )
        end

        def resolved(place, address)
          return address if address.nil? || (REMOTE.match?(address) && !GIT.match?(address))
          return file(place, address) if address.start_with?("file:")

          raise LeftToTool, "#{place.path} comes from #{GIT.match?(address) ? "git" : address[0, 60].inspect}"
        end

        def file(place, address)
          path = address.delete_prefix("file:").delete_prefix("./")
          raise LeftToTool, "#{place.path} is a copy of a folder (install-links)" unless ARCHIVE.match?(path)
          raise LeftToTool, "#{place.path} comes from outside of the project" unless Package::Name.inside?(path)

          "file:#{path}"
        end

        # Which archives npm accepts (`allow-remote`, `allow-file`): "all", "none", or "root", which means archives that
        # the project's package.json files name directly. Archives below the registry's address are always allowed,
        # unless a dependency names that address.
        class Allowed
          # Path segments that a server may resolve to a different path.
          DOTS = %r{/(?:\.|%2e){1,2}(?:[/?#]|\z)}i
          # The version to assume if npm's is unknown. Since npm 12, addresses are not allowed by default.
          NEWEST = "12"

          # lockfile: connected by Graph, with its workspaces. npm: its version; nil for the newest.
          def initialize(lockfile, configuration, npm)
            @lockfile = lockfile
            @configuration = configuration
            @npm = npm || NEWEST
            @settings = { "allow-file" => configuration["allow-file"] || "all",
                          "allow-remote" => configuration["allow-remote"] || (@npm.to_i < 12 ? "all" : "none") }
            @registries = {}
          end

          # Whether npm refuses to fetch a place's archive.
          def refused?(place)
            address = place.entry["resolved"]
            return false if address.nil? || place.link? || GIT.match?(address)

            case @settings[setting(place)]
            when "all" then false
            when "root" then !asked_by_project.key?(place) && !registry?(place, address)
            else !registry?(place, address)
            end
          end

          # Raises LockfileError. places: [Place] to fetch.
          def check(places)
            refused = places.select { |place| refused?(place) }
            return if refused.empty?

            first, *others = refused.map { |place| refusal(place) }
            raise LockfileError.new(first, details: others, hint: hint(refused))
          end

          private

          def setting(place) = place.entry["resolved"].start_with?("file:") ? "allow-file" : "allow-remote"

          def refusal(place)
            registry = registry_for(place.name)
            "#{place.path} comes from #{Util.redact(place.entry["resolved"])}; expected an archive of " \
              "#{registry ? Util.redact(registry) : "the registry"}, because npm #{@npm} allows no others " \
              "(#{setting(place)} = #{@settings[setting(place)]})"
          end

          def hint(places)
            value = places.all? { |place| asked_by_project.key?(place) } ? "root" : "all"
            "`#{places.map { |place| "#{setting(place)}=#{value}" }.uniq.join("` and `")}` in .npmrc allows it"
          end

          # Places that the root or a workspace needs.
          def asked_by_project
            @asked_by_project ||= ["", *@lockfile.workspaces].each_with_object({}.compare_by_identity) do |path, found|
              @lockfile.places[path]&.edges&.each_slice(2) { |to, _| found[to] = true }
            end
          end

          def registry?(place, address)
            return false if address.start_with?("file:") || DOTS.match?(address) || by_address.key?(address)

            registry = registry_for(place.name) or return true
            below?(registry, address) || fetched_from(address).start_with?(registry)
          end

          # Fast path for the default registry, whose addresses need no replacement.
          def below?(registry, address) = registry == registry_for("") && address.start_with?(registry)

          # npm selects the registry by the scope of the folder, even for an alias. nil if no registry is configured.
          def registry_for(name)
            scope = name[%r{\A@[^/]+/}].to_s
            @registries.fetch(scope) { @registries[scope] = @configuration.registry_for(scope) }
          rescue Configuration::UnknownRegistryError
            @registries[scope] = nil
          end

          # The address after its host was replaced with the registry's host (`replace-registry-host`).
          def fetched_from(address)
            @locator ||= Registry::Locator.new(@configuration)
            @locator.remote(Package.new(name: "any", resolved: address)).to_s
          rescue Spate::Error
            ""
          end

          # { address that a dependency names => true }
          def by_address
            @by_address ||= asked.to_h { |address| [address, true] }
          end

          def asked
            @lockfile.places.each_value.flat_map do |place|
              addresses(place.data.values_at(*Project::Manifest::DEPENDENCIES, *("overrides" if place.root?)))
            end
          end

          def addresses(value)
            case value
            when Hash then addresses(value.values)
            when Array then value.flat_map { |each| addresses(each) }
            else REMOTE.match?(value.to_s) ? [value] : []
            end
          end
        end
      end
    end
  end
end
