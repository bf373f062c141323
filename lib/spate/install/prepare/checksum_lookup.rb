# frozen_string_literal: true

module Spate
  module Install
    module Prepare
      # Which archives the names stand for whose checksums the lockfile does not have: what the store remembers, once
      # the sources have confirmed it. If a source cannot be reached, its last answer stands, with a warning.
      class ChecksumLookup
        def initialize(context)
          @context = context
          @store = context.store
          @sources = context.sources
          @mutex = Mutex.new
        end

        # packages: those whose names may be remembered. Answers { package => SHA-256 }.
        def call(packages)
          known = packages.to_h { |package| [package, remembered(package)] }.compact
          fresh, stale = known.partition { |package, name| fresh?(package, name) }.map(&:to_h)
          ask(stale.transform_values(&:sha256)).merge(fresh.transform_values(&:sha256))
        end

        # known: { package => SHA-256 } as it was, in the store or in the bundle. Answers the same as it is now;
        # packages that must be fetched to know are missing.
        def ask(known)
          return {} if known.empty?

          @answers = {}
          @trouble = {}
          @yanked = []
          each_of(known.keys) { |package| keep(package, answer(package, known[package])) }
          tell
          @answers.compact
        end

        private

        # What the store has for a name: SHA-256, and since when (Time).
        Remembered = Struct.new(:sha256, :time)
        private_constant :Remembered

        def remembered(package)
          @sources.domains(package).each do |domain|
            sha256 = @store.name_lookup(domain, package.full_name)
            return Remembered.new(sha256, @store.name_time(domain, package.full_name)) if sha256
          end
          nil
        end

        # Of several remotes another one might have it by now.
        def fresh?(package, name)
          @context.options.local || package.source.remotes.all? { |remote| @sources.fresh?(remote, name.time) }
        end

        def each_of(packages)
          @sources.client # loads what the threads need
          queue = packages.each_with_object(Thread::Queue.new) { |package, all| all << package }.close
          threads = Array.new([Fetch::Sources::CONNECTIONS, packages.size].min) do
            Thread.new do
              Thread.current.report_on_exception = false
              while (package = queue.pop)
                yield package
              end
            end
          end
          threads.each(&:join)
        ensure
          Array(threads).each(&:kill)
        end

        # A small Hash grows in several steps, and Ruby may change threads between them as it asks its keys for #hash.
        # Without the lock entries get lost, and Ruby 3.1 crashes.
        def keep(package, sha256) = @mutex.synchronize { @answers[package] = sha256 }

        # One try: without a network nobody should wait for it. What was yanked stays what it was. Any other error is
        # reported where the archive is fetched.
        def answer(package, known)
          return known if @mutex.synchronize { @trouble.key?(package.source) }

          listing = @sources.client.listing(package, tries: 0) or return
          @store.remember_name(listing.domain, package.full_name, listing.sha256)
          listing.sha256
        rescue Ground::Retriable => e
          @mutex.synchronize { @trouble[package.source] ||= e }
          known
        rescue Registry::NotFound => e
          @yanked << e
          known
        rescue Registry::Error
          nil
        end

        def tell
          @trouble.each_value do |error|
            warning("#{error.message}: gems are taken as it had them the last time",
                    "once it can be reached: spate install --refresh")
          end
          @yanked.each { |error| warning("#{error.message}: it is taken as it was the last time", error.hint) }
        end

        def warning(message, hint) = @context.events.emit(:warning, message: message, hint: hint)
      end
    end
  end
end
