# frozen_string_literal: true

module Spate
  module JS
    module Restore
      class Execution
        # Checks that each version was published long enough ago (Pnpm::Planning::ReleaseAge). A package that has been
        # in the store for that long passes. Other dates come from the registry and are cached in the store, for each
        # package. The result for all packages is stored, too, which saves reading the dates again.
        class ReleaseAges
          KIND = "js-dates"
          LISTS = "js-ages"
          # Simultaneous requests.
          THREADS = 16

          # Whether all packages of a list were published before a time (in ms) that is not after the cutoff. list: a
          # key, or nil.
          def self.passed?(store, list, minutes)
            cutoff = (Time.now - (minutes * 60)).to_r * 1000
            times = list ? store.all_stores.map { |shelf| shelf.read(LISTS, list).to_i } : []
            times.any? { |time| time.between?(1, cutoff) }
          end

          # wanted: ReleaseAge.
          def initialize(context, plan, wanted)
            @context = context
            @plan = plan
            @wanted = wanted
            @store = context.store
            @cutoff = Time.now - (wanted.minutes * 60)
            @registries = {} # { scope or "" => address }
          end

          # Raises ReleaseAgeError, NotLocalError, and the errors of Spate::Registry.
          def check
            packages = @wanted.checked
            list = list_key(packages)
            return if list && ReleaseAges.passed?(@store, list, @wanted.minutes)

            require "time"
            confirm(packages.reject { |package| stored?(package) || ((date = kept(package)) && date < @cutoff) })
            @store.writable_store&.write(LISTS, list, (@cutoff.to_r * 1000).ceil.to_s) if list && !@undated
          end

          # The arguments of .passed?
          def list = [list_key(@wanted.checked), @wanted.minutes]

          private

          # packages: whose dates are unknown.
          def confirm(packages)
            return if packages.empty?
            raise NotLocalError.new(packages.map(&:full_name), "the publication date") if @context.options.local

            young = ask(packages.group_by(&:name).to_a)
            raise ReleaseAgeError.new(young.sort, @cutoff, @wanted.minutes) if young.any?
          end

          # Uses the manifest's ctime, which does not change when the file is read or linked.
          def stored?(package)
            package.integrity&.names.to_a.any? { |name| File.lstat(@store.package_path(name)).ctime < @cutoff }
          rescue SystemCallError
            false
          end

          def kept(package)
            key = key(package)
            text = @store.all_stores.filter_map { |shelf| shelf.read(KIND, key) }.first
            text && time(text)
          end

          def keep(package, date) = @store.writable_store&.write(KIND, key(package), date.getutc.iso8601(3))

          def key(package) = Store.sha256([registry(package.name), package.full_name].join("\0"))

          # The digest is included because a package may have passed due to its archive in the store.
          def list_key(packages)
            fields = packages.flat_map do |each|
              [registry(each.name), each.name, each.version, *each.integrity&.digests]
            end
            Store.sha256(fields.join("\0"))
          rescue Configuration::UnknownRegistryError
            nil # a package may be in the store, so that its registry is not needed
          end

          def registry(name)
            scope = name.start_with?("@") ? name[%r{\A[^/]+/}] : ""
            @registries.fetch(scope) { @registries[scope] = @context.configuration.registry_for(name) }
          end

          def time(text)
            Time.iso8601(text)
          rescue ArgumentError, TypeError
            nil
          end

          # [[the package's full name, the problem]]
          def ask(names)
            @context.client # created before the threads start
            queue = Thread::Queue.new(names).close
            threads = Array.new([THREADS, names.size].min) { Thread.new { asking(queue) } }
            threads.each { |thread| thread.report_on_exception = false }
            threads.flat_map(&:value)
          ensure
            threads&.each(&:kill)
          end

          def asking(queue)
            found = []
            while (name, packages = queue.pop)
              found.concat(faults(name, packages))
            end
            found
          end

          # If the package has not changed since the cutoff, the short document is enough. Only the full document has
          # dates. A registry without short documents returns the full one.
          def faults(name, packages)
            short = short(name)
            changed = time(short["modified"])
            versions = short["versions"].is_a?(Hash) ? short["versions"] : {}
            if changed && changed < @cutoff && packages.all? { |package| versions.key?(package.version) }
              packages.each { |package| keep(package, changed) }
              return []
            end

            dates = short["time"] || @context.client.document(name, full: true)["time"]
            return without_dates(packages) unless dates.is_a?(Hash)

            packages.filter_map { |package| fault(package, dates[package.version]) }
          end

          def short(name)
            @context.client.document(name)
          rescue Spate::HTTP::Error
            {} # the full document is then requested, and raises the error
          end

          # Up to pnpm 11, `lenient` applies only if the registry has no dates at all.
          def undated(package)
            @undated = true
            return if @wanted.lenient && @plan.major > 11

            [package.full_name, "the registry has no publication date for it"]
          end

          def without_dates(packages)
            @undated = true
            @wanted.lenient ? [] : packages.map { |package| [package.full_name, "the registry has no dates"] }
          end

          def fault(package, text)
            date = time(text)
            return undated(package) unless date

            keep(package, date)
            [package.full_name, "published #{date.getutc.iso8601}"] unless date <= @cutoff
          end
        end

        # Checks that the addresses of archives in a pnpm-lock.yaml are the registry's addresses for these versions
        # (Pnpm::Planning::Tarballs). The registry's usual address needs no request. Results are cached in the store.
        class Addresses
          KIND = "js-addresses"

          # packages: [JS::Package] with an address.
          def initialize(context, packages)
            @context = context
            @packages = packages
            @store = context.store
          end

          # Raises LeftToTool, so that pnpm reports the addresses that it rejects; raises NotLocalError.
          def check
            open = @packages.reject { |package| usual?(package) || kept?(package) }
            return if open.empty?
            raise NotLocalError.new(open.map(&:full_name), "the registry's address") if @context.options.local

            refused = open.group_by(&:name).flat_map { |name, packages| refused(name, packages) }
                          .map { |package| reason(package) }
            raise LeftToTool, refused if refused.any?
          end

          private

          def usual?(package) = package.resolved == @context.client.usual_address(package)
          def kept?(package) = @store.all_stores.any? { |shelf| shelf.read(KIND, key(package)) }

          # Returns the packages to reject, including versions that the registry does not have.
          def refused(name, packages)
            versions = @context.client.document(name)["versions"]
            packages.reject do |package|
              found = versions.dig(package.version, "dist", "tarball") if versions.is_a?(Hash)
              found == package.resolved && keep(package)
            end
          rescue Spate::HTTP::Error, TypeError
            packages
          end

          def keep(package)
            @store.writable_store&.write(KIND, key(package), "")
            true
          end

          def key(package)
            Store.sha256([@context.configuration.registry_for(package.name), package.full_name,
                          package.resolved].join("\0"))
          end

          def reason(package)
            "#{package.full_name} is not at the registry's address: #{Util.redact(package.resolved)}"
          end
        end
      end
    end
  end
end
