# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Looks up the SHA-256 of packages without a checksum in the lockfile. Uses stored checksums after the sources
      # have confirmed them. If a source is unreachable, uses its last response and prints a warning.
      class ChecksumLookup
        def initialize(context)
          @context = context
          @store = context.store
          @sources = context.sources
          @mutex = Mutex.new
        end

        # Returns { package => SHA-256 }, without packages that have no stored checksum.
        def call(packages)
          known = packages.to_h { |package| [package, remembered(package)] }.compact
          fresh, stale = known.partition { |package, name| fresh?(package, name) }.map(&:to_h)
          ask(stale.transform_values(&:sha256)).merge(fresh.transform_values(&:sha256))
        end

        # known: { package => SHA-256 } from the store or the bundle. Returns the current checksums, without packages
        # whose archive must be fetched to compute it.
        def ask(known)
          return {} if known.empty?

          @answers = {}
          @trouble = {}
          @yanked = []
          each_of(known.keys) { |package| keep(package, answer(package, known[package])) }
          print_warnings
          @answers.compact
        end

        private

        # A stored checksum and the Time when it was stored.
        Remembered = Struct.new(:sha256, :time)
        private_constant :Remembered

        def remembered(package)
          @sources.domains(package).each do |domain|
            sha256 = @store.name_lookup(domain, package.full_name)
            return Remembered.new(sha256, @store.name_time(domain, package.full_name)) if sha256
          end
          nil
        end

        # All remotes must be fresh, since another remote may have added the package.
        def fresh?(package, name)
          @context.options.local || package.source.remotes.all? { |remote| @sources.fresh?(remote, name.time) }
        end

        def each_of(packages)
          @sources.client # loads what the threads need
          queue = packages.each_with_object(Thread::Queue.new) { |package, all| all << package }.close
          threads = Array.new([Fetch::Sources::CONNECTIONS, packages.size].min) do
            Util.quiet_thread do
              while (package = queue.pop)
                yield package
              end
            end
          end
          threads.each(&:join)
        ensure
          Array(threads).each(&:kill)
        end

        # Needs the lock: while a Hash grows, Ruby calls #hash of the keys and may switch threads. Without it, entries
        # get lost, and Ruby 3.1 crashes.
        def keep(package, sha256) = @mutex.synchronize { @answers[package] = sha256 }

        # Returns the current checksum of a package. Tries only once, to avoid delays without a network. A yanked gem
        # keeps its checksum. Other errors are reported when the archive is fetched.
        def answer(package, known)
          return known if @mutex.synchronize { @trouble.key?(package.source) }

          listing = @sources.client.listing(package, tries: 0) or return
          @store.remember_name(listing.domain, package.full_name, listing.sha256)
          listing.sha256
        rescue Util::Retriable => e
          @mutex.synchronize { @trouble[package.source] ||= e }
          known
        rescue Registry::NotFound => e
          @yanked << e
          known
        rescue HTTP::Error
          nil
        end

        def print_warnings
          @trouble.each_value do |error|
            warning("#{error.message}; using the cached checksums of its gems",
                    "when it is reachable: spate install --refresh")
          end
          @yanked.each { |error| warning("#{error.message}; using the cached checksum", error.hint) }
        end

        def warning(message, hint) = @context.events.emit(:warning, message: message, hint: hint)
      end
    end
  end
end
