# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # No cache is in use here.
      class NoCache < Error
        EXIT_CODE = 14

        def initialize
          super("no cache of a team is in use here", hint: "spate cache use ADDRESS, or SPATE_CACHE=ADDRESS")
        end
      end

      # What the commands of `spate cache` share.
      class Subcommand
        # To who trusts nobody.
        TRUST = "whose builds are taken is said by `spate cache trust NAME:KEY`; `spate cache key NAME` makes a key"
        # operands: what follows the command's name.
        def initialize(operands, values:, terminal:, context:)
          @operands = operands
          @values = values
          @terminal = terminal
          @context = context
        end

        private

        attr_reader :operands, :values, :terminal, :context

        def name = self.class.name[/\w+\z/].downcase
        def json? = values[:json]
        def json = @json ||= Ground::JsonLines.new(terminal.out)

        # Exactly so many operands as there are words. Answers them.
        def operands!(*words)
          return operands if operands.size == words.size

          raise UsageError.new("`spate cache #{name}` takes #{words.empty? ? "no operand" : words.join(" ")}, " \
                               "but got #{operands.empty? ? "none" : operands.join(" ").inspect}",
                               hint: "spate cache --help")
        end

        # The settings here, with a Gemfile or without.
        def settings
          context.settings
        rescue Gemfile::NotFound
          raise if values[:gemfile]

          Settings.load(root: nil, env: context.env)
        end

        # RemoteCache::Address of the cache in use. Raises NoCache, InvalidAddress.
        def address = @address ||= RemoteCache.address(settings) || raise(NoCache)

        # Of the cache in use, for the block. patience: seconds to connect, and of silence.
        def transport(place = address, **patience)
          there = RemoteCache.transport(place, env: context.env, settings: settings, **patience)
          yield there
        ensure
          there&.close
        end

        # RemoteCache::Contents of it, for the block; what is told meanwhile goes beside the progress.
        def contents
          transport do |there|
            yield RemoteCache::Contents.new(there, trust: RemoteCache::Trust.from(settings), store: context.store,
                                                   progress: progress)
          end
        ensure
          progress&.clear
        end

        # nil where events are told instead.
        def progress = json? ? nil : @progress ||= Output::Progress.new(terminal)

        # Where another place than the setting that was changed counts. text: what it is now.
        def tell_outweighed(setting, text)
          counts, where = RemoteCache.found(setting.settings)
          return if RemoteCache.none?(counts) ? text.nil? : counts == text

          terminal.warning("#{where} outweighs that, and says: #{RemoteCache.address(setting.settings) || "no cache"}")
        rescue RemoteCache::InvalidAddress => e
          terminal.warning("#{where} outweighs that, and #{e.message}", hint: e.hint)
        end

        # Names. Where the application has none the user's own setting counts, and SPATE_CACHE_KEYS always does.
        def trusted = RemoteCache::Trust.from(settings).keys.map(&:name)

        def tell_trusted
          names = trusted
          terminal.tell(names.empty? ? "no signer is trusted here now" : "trusted here now: #{names.join(", ")}")
        rescue Settings::Error => e
          terminal.warning(e.message, hint: e.hint)
        end

        # Setting to change, where --global or the application says.
        def setting(name) = Setting.new(name, context, terminal, global: values[:global])
      end
    end
  end
end
