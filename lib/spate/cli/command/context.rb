# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # The bundle, settings and store of a command. Each is opened on first use.
      class Context
        attr_reader :terminal

        # makes: see Store.open.
        def initialize(values:, env:, terminal:, makes: true)
          @makes = makes
          @values = values
          @terminal = terminal
          @given = env.to_h
          @home = Util::StorePlace.absolute(values[:store], "--store") if values[:store]
          @given = @given.merge("SPATE_HOME" => @home) if @home
        end

        # The environment merged with the options of this run (Hash). It sets a temporary store if no folder is usable
        # for a store.
        def env = @env ||= place

        # Whether the store is removed when this process ends.
        def temporary? = !env.equal?(@given)

        def location = @location ||= Gemfile.find(Dir.pwd, env, gemfile: @values[:gemfile])

        # Whether there is a Gemfile here.
        def bundle?
          location && true
        rescue Gemfile::NotFound
          false
        end

        def settings = @settings ||= Settings.load(root: location.root, env: env, flags: flags)
        def layout = @layout ||= Layout.for(settings, location.root, store: store, lockfile: location.lockfile)
        def store = @store ||= ::Spate::Store.open(home: @home, env: env, makes: @makes)

        # Command-line options that correspond to settings of Bundler. They take precedence over all other settings.
        FLAGS = { frozen: "frozen", deployment: "deployment", path: "path", system: "path.system", without: "without",
                  with: "with", only: "only", retry: "retry", jobs: "jobs" }.freeze

        def flags = FLAGS.filter_map { |key, name| [name, @values[key]] if @values.key?(key) }.to_h

        def lockfile
          @lockfile ||= Lockfile.parse(File.read(location.lockfile, encoding: "UTF-8"), path: location.lockfile) do
            layout.rubygems.version
          end
        rescue Errno::ENOENT
          raise UsageError.new("#{location.lockfile} does not exist", hint: "create it: spate install")
        end

        private

        def place
          there = File.directory?(Util::StorePlace.root(Util::StorePlace.home(@given)))
          there ? @given : temporary
        rescue Util::NoHome
          temporary
        end

        def temporary
          ::Spate::Store::Temporary.environment(@given) do |reason, folder|
            terminal.warning("#{reason}; the store is in #{folder} until this command ends",
                             hint: ::Spate::Store::Temporary::HINT)
          end
        end
      end
    end
  end
end
