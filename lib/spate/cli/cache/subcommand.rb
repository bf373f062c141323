# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # No cache is configured here.
      class NoCache < Error
        EXIT_CODE = 14

        def initialize
          super("no team cache is configured here", hint: "spate cache use ADDRESS, or SPATE_CACHE=ADDRESS")
        end
      end

      # Common code of the `spate cache` commands.
      class Subcommand < Command::Subcommand
        # Hint for a configuration without trusted signers.
        TRUST = "choose the signers to trust: spate cache trust NAME:KEY; create a key: spate cache key NAME"

        private

        # Returns the operands. Raises UsageError unless there is one for each of the words.
        def operands!(*words)
          return operands if operands.size == words.size

          raise UsageError.new("`spate cache #{name}` takes #{words.empty? ? "no operands" : words.join(" ")}, " \
                               "got #{operands.empty? ? "none" : operands.join(" ").inspect}",
                               hint: "spate cache --help")
        end

        # The settings in the current directory, with or without a Gemfile.
        def settings
          context.settings
        rescue Gemfile::NotFound
          raise if values[:gemfile]

          Settings.load(root: nil, env: context.env)
        end

        # RemoteCache::Address of the cache in use. Raises NoCache, InvalidAddress.
        def address = @address ||= RemoteCache.address(settings) || raise(NoCache)

        # Yields the transport of the cache in use. patience: seconds to connect, and to wait for data.
        def transport(place = address, **patience)
          there = RemoteCache.transport(place, env: context.env, settings: settings, **patience)
          yield there
        ensure
          there&.close
        end

        # Yields the RemoteCache::Contents of the cache in use, which report progress.
        def contents
          transport do |there|
            yield RemoteCache::Contents.new(there, trust: RemoteCache::Trust.from(settings), store: context.store,
                                                   progress: progress)
          end
        ensure
          progress&.clear
        end

        # The progress output; nil if events are printed as JSON instead.
        def progress = json? ? nil : @progress ||= Output::Progress.new(terminal)

        # Warns if another setting takes precedence over the changed one. text: the new value of the changed setting.
        def tell_outweighed(setting, text)
          counts, where = RemoteCache.found(setting.settings)
          return if RemoteCache.none?(counts) ? text.nil? : counts == text

          terminal.warning("#{where} takes precedence: #{RemoteCache.address(setting.settings) || "no cache"}")
        rescue RemoteCache::InvalidAddress => e
          terminal.warning("#{where} takes precedence, but is invalid: #{e.message}", hint: e.hint)
        end

        # Names of the trusted signers, from the application's setting or the user's, and from SPATE_CACHE_KEYS.
        def trusted = RemoteCache::Trust.from(settings).keys.map(&:name)

        def tell_trusted
          names = trusted
          terminal.tell(names.empty? ? "no signer is trusted here" : "trusted here: #{names.join(", ")}")
        rescue Settings::Error => e
          terminal.warning(e.message, hint: e.hint)
        end

        # The setting to change: the user's with --global, otherwise the application's.
        def setting(name) = Setting.new(name, context, terminal, global: values[:global])
      end
    end
  end
end
