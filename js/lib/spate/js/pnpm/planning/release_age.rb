# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # The minimum age of each locked version (`minimumReleaseAge`), which pnpm checks since version 11, also for a
        # frozen lockfile. Plain data, so that a plan can be stored.
        #
        # minutes:: Numeric
        # excluded:: [[pattern of names, versions or nil]] of packages that may have any age
        # lenient:: whether versions pass if the registry has no dates at all
        # packages:: [JS::Package] all packages of the lockfile that come from a registry, even if not installed here
        ReleaseAge = Struct.new(:minutes, :excluded, :lenient, :packages)

        class ReleaseAge
          SINCE = 11

          # nil if there is nothing to check. known: [JS::Package], used instead of equal ones, so that a stored plan
          # contains each only once. Raises LeftToTool.
          def self.of(lockfile, settings, known = [])
            return if settings.major < SINCE || settings["trustLockfile"]

            minutes = Float(settings.plain("minimumReleaseAge") || settings["minimumReleaseAge"])
            return unless minutes.positive?

            excluded = Array(settings.plain("minimumReleaseAgeExclude")).map { |text| rule(text.to_s) }
            new(minutes, excluded, settings["minimumReleaseAgeIgnoreMissingTime"], packages(lockfile, known))
          end

          # Parses "@scope/*", "name" or "name@1.0.0 || 1.0.1".
          def self.rule(text)
            name, versions = text.match(/\A(@?[^@]*)(?:@(.*))?\z/m).captures
            versions = versions&.split("||")&.map { |each| Npm::Semver::Version.parse(each.strip)&.to_s }
            return [name, versions] unless versions && (versions.include?(nil) || name.include?("*"))

            raise LeftToTool, ["minimumReleaseAgeExclude: #{text}"]
          end

          def self.packages(lockfile, known)
            known = known.to_h { |package| [package, package] }
            lockfile.packages.filter_map do |key, entry|
              name, version = DepPath.split(key)
              found = entry["resolution"] if entry.is_a?(Hash)
              next unless found.is_a?(Hash) && found["type"].nil? && Npm::Semver::Version.valid?(version)
              next if Resolution.foreign(found) || !found.fetch("tarball", "http:").to_s.match?(/\Ahttps?:/i)

              found = Package.new(name: name, version: version, integrity: Package::Integrity.parse(found["integrity"]))
              known.fetch(found, found)
            end
          end
          private_class_method :rule, :packages

          # Packages whose age is checked.
          def checked
            return packages if excluded.empty?

            rules = excluded.map { |pattern, versions| [Matcher.new([pattern]), versions] }
            packages.reject do |package|
              rules.any? do |names, versions|
                names.match?(package.name) && (versions.nil? || versions.include?(package.version))
              end
            end
          end
        end

        # The archives' addresses in the lockfile. pnpm rejects an entry without a digest and, since version 11, a
        # registry version whose `tarball` differs from the registry's. Both rules also apply to packages that are not
        # installed.
        module Tarballs
          SINCE = 11

          module_function

          # [String] for the user: entries without a digest.
          def unverified(lockfile)
            each(lockfile).filter_map { |key, found| "#{key} has no integrity" if found["integrity"].nil? }
          end

          # [JS::Package] whose address the registry has to confirm.
          def unconfirmed(lockfile, settings)
            return [] if settings.major < SINCE || settings["trustLockfile"]

            each(lockfile).filter_map do |key, found|
              name, version = DepPath.split(key)
              next unless Npm::Semver::Version.valid?(version) && found["tarball"].match?(/\Ahttps?:/i)

              Package.new(name: name, version: version, resolved: found["tarball"])
            end
          end

          # [[key, resolution]] of archives with an address.
          def each(lockfile)
            lockfile.packages.filter_map do |key, entry|
              found = entry["resolution"] if entry.is_a?(Hash)
              next unless found.is_a?(Hash) && found["tarball"].is_a?(String)

              [key, found] unless found["type"] || Resolution.foreign(found)
            end
          end
          private_class_method :each
        end
      end
    end
  end
end
