# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Planning
        # The archives' addresses in the lockfile. pnpm refuses an entry without a digest; since version 11 also one of
        # a registry's version whose `tarball` differs from the registry's. Both apply to packages that are not
        # installed, too.
        module Tarballs
          SINCE = 11

          module_function

          # [String], for people: entries without a digest.
          def unverified(lockfile)
            each(lockfile).filter_map { |key, found| "#{key} has no integrity" if found["integrity"].nil? }
          end

          # [JS::Package] of which the registry has to confirm the address.
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
