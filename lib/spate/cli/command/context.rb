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
          @env = env.to_h
          @home = Ground::StorePlace.absolute(values[:store], "--store") if values[:store]
          @env = @env.merge("SPATE_HOME" => @home) if @home
        end

        # The environment with the options of this run laid over it (Hash).
        attr_reader :env

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
      end
    end
  end
end
