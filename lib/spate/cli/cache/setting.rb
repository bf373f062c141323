# frozen_string_literal: true

module Spate
  module CLI
    class Cache
      # A setting, stored in Bundler's configuration: the .bundle/config of the application or of the user.
      class Setting
        # Bundler could not write the setting.
        class NotRemembered < Error
          EXIT_CODE = 9

          def initialize(file, error)
            super("cannot write the setting to #{file}", details: error.details, hint:
              "use --global, or SPATE_CACHE and SPATE_CACHE_KEYS for one run")
          end
        end

        def initialize(name, context, terminal, global: false)
          @name = name
          @context = context
          @terminal = terminal
          @level = global ? :global : :local
        end

        # The value at this level, or nil.
        def value = settings.levels[@level][Settings::Key.for(@name)]

        # Sets the value; nil removes the setting. Raises NotRemembered.
        def value=(text)
          location = @context.location if @level == :local
          words = text ? ["set", "--#{@level}", @name, text] : ["unset", "--#{@level}", @name]
          Gemfile::BundleCommand.capture(["config", *words], location, env: @context.env)
          done = "#{text ? "remembered in" : "removed from"} #{file}: #{[@name, text].compact.join(" ")}"
          @terminal.info(Util::Terminal.plain(done))
        rescue Gemfile::BundlerFailed => e
          raise NotRemembered.new(file, e)
        end

        # The settings, read from disk again.
        def settings
          Settings.load(root: @context.location.root, env: @context.env)
        rescue Gemfile::NotFound
          raise if @level == :local

          Settings.load(root: nil, env: @context.env)
        end

        # The path of the configuration file, for display.
        def file
          return Settings::Folders.new(nil, @context.env).global_config || "your configuration" if @level == :global

          path = Settings::Folders.new(@context.location.root, @context.env).local_config || ".bundle/config"
          path.delete_prefix("#{@context.location.root}/")
        end
      end

      # `spate cache use ADDRESS`: stores the address as given, and tests the connection.
      class Use < Subcommand
        # Timeout in seconds, for connecting and for reading.
        PATIENCE = 1
        # A syntactically valid name, requested to test the connection.
        NAME = "ac/#{"0" * 64}".freeze

        def run
          text = operands!("ADDRESS").first
          place = RemoteCache::Address.parse(text)
          refuse_password(text, place) if place.userinfo
          remembered = setting(RemoteCache::SETTING)
          remembered.value = text
          test_connection(place)
          warn_of_precedence(remembered, text)
          terminal.hint(TRUST) if no_trusted_signer?
          0
        end

        private

        # Rejects an address with a password, because the configuration file may be committed.
        def refuse_password(text, place)
          raise RemoteCache::InvalidAddress.new(text, "contains a user and password, expected none", hint:
            "bundle config set --global #{place.uri.host} USER:PASSWORD, then spate cache use #{place}")
        end

        # Tests the connection. A failure is only a warning, because the cache may not be running yet.
        def test_connection(place)
          transport(place, connect: PATIENCE, read: PATIENCE) do |there|
            there.get(NAME, limit: RemoteCache::Client::DOCUMENT)
          end
        rescue Error => e
          terminal.warning(e.message, hint: e.hint)
        end

        def no_trusted_signer?
          [settings[RemoteCache::Trust::SETTING], context.env[RemoteCache::Trust::VARIABLE]].join.empty?
        end
      end

      # `spate cache off`: removes the setting. If a cache is set globally, disables it for this application.
      class Off < Subcommand
        def run
          operands!
          kept = setting(RemoteCache::SETTING)
          here = kept.value
          kept.value = nil if here && here != RemoteCache::OFF
          others = kept.settings[RemoteCache::SETTING]
          kept.value = RemoteCache::OFF if others && others != RemoteCache::OFF && !values[:global]
          terminal.info("no cache is configured here") if here.nil? && others.nil?
          warn_of_precedence(kept, nil)
          0
        end
      end

      # `spate cache trust NAME:KEY`: replaces an existing key of that name.
      class Trust < Subcommand
        def run
          key = RemoteCache::Trust::PublicKey.parse(operands!("NAME:KEY").first, "the operand")
          kept = setting(RemoteCache::Trust::SETTING)
          before, others = RemoteCache::Trust.words(kept.value).partition { |word| word.start_with?("#{key.name}:") }
          kept.value = [*others, key.word].join(" ")
          terminal.info "trusting #{key.name}: builds signed by the key with the id #{key.id}"
          terminal.info "the previous key of #{key.name} is no longer trusted" if (before - [key.word]).any?
          print_trusted
          0
        end
      end

      # `spate cache distrust NAME`: removes the key under all its names. Prints the remaining signers.
      class Distrust < Subcommand
        # No trusted signer has that name.
        class Unknown < Error
          EXIT_CODE = 14

          # file: path of the configuration file, for display. names: the trusted signers from all settings.
          def initialize(name, file, names)
            here = "trusted here: #{names.join(", ")}; they may come from --global or SPATE_CACHE_KEYS"
            super("no trusted signer called #{name.inspect} in #{file}",
                  hint: names.empty? ? "spate cache trust NAME:KEY" : here)
          end
        end

        def run
          name, = operands!("NAME")
          kept = setting(RemoteCache::Trust::SETTING)
          words = RemoteCache::Trust.words(kept.value)
          keys = words.select { |word| word.start_with?("#{name}:") }.map { |word| key(word) }
          raise Unknown.new(name, kept.file, trusted) if keys.empty?

          others = words.reject { |word| keys.include?(key(word)) }
          kept.value = others.empty? ? nil : others.join(" ")
          print_trusted
          terminal.hint "spate install, which rebuilds what #{name} signed"
          0
        end

        private

        # Keys are compared by id, because the same key may have several names and spellings. An invalid key is compared
        # as text.
        def key(word)
          RemoteCache::Trust::PublicKey.parse(word, RemoteCache::Trust::SETTING).id
        rescue Settings::InvalidValue
          word
        end
      end
    end
  end
end
