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
        # The hint if no signer is trusted.
        TRUST = "choose the signers to trust: spate cache trust NAME:KEY; create a key: spate cache key NAME"

        private

        # Returns the operands. Raises UsageError unless there is one for each word.
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

        # The configured RemoteCache::Address. Raises NoCache, InvalidAddress.
        def address = @address ||= RemoteCache.address(settings) || raise(NoCache)

        # Yields the transport of the cache. patience: timeouts in seconds, for connecting and for reading.
        def transport(place = address, **patience)
          there = RemoteCache.transport(place, env: context.env, settings: settings, **patience)
          yield there
        ensure
          there&.close
        end

        # Yields the RemoteCache::Contents of the cache, which print progress.
        def contents
          transport do |there|
            yield RemoteCache::Contents.new(there, trust: RemoteCache::Trust.from(settings), store: context.store,
                                                   progress: progress)
          end
        ensure
          progress&.clear
        end

        # The progress output, or nil with --json.
        def progress = json? ? nil : @progress ||= Output::Progress.new(terminal)

        # Warns if another setting takes precedence over the changed one. text: the new value of the changed setting.
        def warn_of_precedence(setting, text)
          counts, where = RemoteCache.found(setting.settings)
          return if RemoteCache.none?(counts) ? text.nil? : counts == text

          terminal.warning("#{where} takes precedence: #{RemoteCache.address(setting.settings) || "no cache"}")
        rescue RemoteCache::InvalidAddress => e
          terminal.warning("#{where} takes precedence, but is invalid: #{e.message}", hint: e.hint)
        end

        # Names of the trusted signers, from the settings and from SPATE_CACHE_KEYS.
        def trusted = RemoteCache::Trust.from(settings).keys.map(&:name)

        def print_trusted
          names = trusted
          terminal.info(names.empty? ? "no signer is trusted here" : "trusted here: #{names.join(", ")}")
        rescue Settings::Error => e
          terminal.warning(e.message, hint: e.hint)
        end

        # The setting to change: the user's with --global, otherwise the application's.
        def setting(name) = Setting.new(name, context, terminal, global: values[:global])
      end
    end
  end
end
