# frozen_string_literal: true

module Spate
  module CLI
    class Command
      # Where a command works: the bundle, its settings, the store. Each is opened when first asked for.
      class Context
        attr_reader :terminal

        # makes: see Store.open.
        def initialize(values:, env:, terminal:, makes: true)
          @makes = makes
          @values = values
          @terminal = terminal
          @given = env.to_h
          @home = Ground::StorePlace.absolute(values[:store], "--store") if values[:store]
          @given = @given.merge("SPATE_HOME" => @home) if @home
        end

        # The environment with the options of this run laid over it (Hash). Without a place for a store it names a
        # temporary one.
        def env = @env ||= place

        # Whether the store is removed when this process ends, so that it is empty when one starts.
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

        # Values of this command's line that are settings of Bundler: they outweigh every other level.
        FLAGS = { frozen: "frozen", deployment: "deployment", path: "path", system: "path.system", without: "without",
                  with: "with", only: "only", retry: "retry", jobs: "jobs" }.freeze

        def flags = FLAGS.filter_map { |key, name| [name, @values[key]] if @values.key?(key) }.to_h

        def lockfile
          @lockfile ||= Lockfile.parse(File.read(location.lockfile, encoding: "UTF-8"), path: location.lockfile) do
            layout.rubygems.version
          end
        rescue Errno::ENOENT
          raise UsageError.new("there is no #{location.lockfile}", hint: "`spate install` has Bundler make it")
        end

        private

        def place
          there = File.directory?(Ground::StorePlace.root(Ground::StorePlace.home(@given)))
          there ? @given : temporary
        rescue Ground::NoHome
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
