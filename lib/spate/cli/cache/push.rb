# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # `spate cache push`: sends the archives, builds and caches of the current bundle, or lists them (--dry-run).
      class Push < Subcommand
        # Nothing is installed, so there is nothing to send.
        class NotInstalled < Error
          EXIT_CODE = 11

          def initialize(root)
            super("no bundle was installed in #{root} by Spate", hint: "spate install")
          end
        end

        # SPATE_CACHE_KEY is not set.
        class NoKey < Error
          EXIT_CODE = 14

          def initialize
            super("no signing key: SPATE_CACHE_KEY is not set", hint:
              "`spate cache key NAME` creates one in NAME.pem; then set SPATE_CACHE_KEY=NAME.pem")
          end
        end

        # Time limit in seconds when running in the background after an install.
        BOUND = 600
        # Number of archives handled in parallel.
        AT_ONCE = 16
        WORDS = { sent: "sent", would: "would be sent", there: "already there", refused: "not shared",
                  failed: "not sent" }.freeze

        def run
          operands!
          Process.setpriority(Process::PRIO_PROCESS, 0, 19) if values[:noted]
          @found = Hash.new { |all, state| all[state] = [] }
          send_all
          json? ? json.call(event: :cache_pushed, **counts, bytes: bytes) : print_totals
          raise @failure if @failure

          sent_all
          0
        ensure
          progress&.clear
          @bound&.kill
          @push&.save
          @transport&.close
        end

        private

        # Stops sending after BOUND seconds.
        def bound
          @bound = Thread.new do
            sleep(BOUND)
            @transport.close
          end
        end

        def sent_all
          store = context.store.writable_store unless values[:noted] || values[:dry_run]
          Install::Sharing.forget(store) if store
        end

        def send_all
          @push = pushing
          results, archives, compiled = shuffled(parcels), shuffled(shareable.archives), caches
          @count = results.size + archives.size + compiled.size
          results.each { |parcel| attempt { @push.parcel(parcel, again: recheck?) } }
          archives.each_slice(AT_ONCE) { |some| send_archives(some) }
          compiled.each { |parcel| attempt { @push.parcel(parcel, again: recheck?) } }
          shareable.withheld.each do |name, reason|
            note(RemoteCache::Push::Sending.new(kind: :archive, name: name, bytes: 0, state: :refused, reason: reason))
          end
        rescue RemoteCache::Unavailable => e
          raise unless @bound && e.reason == :closed
        end

        # Shuffles the entries, so that machines that push the same bundle at the same time do not all send the same
        # entry.
        def shuffled(all) = values[:dry_run] ? all : all.shuffle

        # An unexpected response may affect only this entry. Records the failure and continues with the other entries.
        def attempt
          note(yield)
        rescue RemoteCache::Unavailable => e
          raise unless e.reason == :answer

          @found[:failed] << e
          @failure ||= e
        end

        # Runs in parallel, because most archives are already in the cache and each check is a round trip.
        def send_archives(some)
          some.map { |name, sha256| Thread.new { @push.archive(name, sha256, again: recheck?) } }
              .each { |thread| thread.report_on_exception = false }
              .each { |thread| attempt { thread.value } }
        end

        # Whether to check entries again that were recorded as sent. A background run does not.
        def recheck? = !values[:noted]

        def pushing
          @transport = RemoteCache.transport(address, env: context.env, settings: context.settings)
          bound if values[:noted]
          RemoteCache::Push.new(@transport, store: context.store, key: key, dry: values[:dry_run],
                                            trust: RemoteCache::Trust.from(context.settings))
        end

        # The signing key. A dry run without one generates a temporary key.
        def key
          own = RemoteCache::Trust::PrivateKey.of(context.env) and return own
          raise NoKey unless values[:dry_run]

          @keyless = true
          RemoteCache::Trust::PrivateKey.generate
        end

        def parcels
          builds = installation.team_builds(installation.new_builder)
          [*shareable.builds.map { |stored| builds.parcel(stored) },
           *shareable.checks.flat_map { |key| installation.team_checks.parcels(key) }]
        end

        def caches
          require "spate/native/boot"
          folder = ::Spate::Boot::CompileCacheFolder.new(context.store.root)
          shared = ::Spate::CompileCache::Shared.new(caches: folder, location: context.location,
                                                     settings: context.settings, store: context.store,
                                                     trust: installation.trust)
          shared.parcels(shareable.untouched.map { |name| "#{installation.layout.gems}/#{name}" })
        rescue LoadError
          [] # built without support for compile caches
        end

        def installation
          @installation ||= ::Spate::Install::Context.new(location: context.location, settings: context.settings,
                                                          store: context.store, options: options)
        end

        # In CI, the install waits for the push. Otherwise the push runs in the background.
        def options = ::Spate::Install::Options.new(background: values[:noted] && key_from_parent?)
        def key_from_parent? = Util::SigningKey.of(context.env) == Util::SigningKey::HANDED

        def shareable
          @shareable ||= begin
            root = installation.layout.root
            record = ::Spate::Store::BundleRecord.load(context.store, root) or raise NotInstalled, root
            ::Spate::Install::Shareable.new(installation, record)
          end
        end

        def note(sending)
          @found[sending.state] << sending
          return json.call(event: :cache_sending, **sending.to_h) if json?
          return progress.call("checked", @found.each_value.sum(&:size), @count) if sending.state == :there

          progress.clear
          size = " (#{Units.bytes(sending.bytes)})" if sending.bytes.positive?
          state = sending.reason ? "not shared: #{sending.reason}" : WORDS[sending.state]
          terminal.info Util::Terminal.plain("#{sending.kind} #{sending.name}#{size}: #{state}")
        end

        def counts = WORDS.keys.to_h { |state| [state, @found[state].size] }
        def bytes = (@found[:sent] + @found[:would]).sum(&:bytes)

        def print_totals
          progress.clear
          parts = WORDS.filter_map { |state, words| "#{@found[state].size} #{words}" if @found[state].any? }
          size = " (#{Units.bytes(bytes)})" if bytes.positive?
          terminal.info parts.empty? ? "nothing to send" : "#{parts.join(", ")}#{size}"
          terminal.hint("sending needs a key: #{NoKey.new.hint}") if @keyless
        end
      end
    end
  end
end
