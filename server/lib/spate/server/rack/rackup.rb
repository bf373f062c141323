# frozen_string_literal: true

require "shellwords"

module Spate
  module Server
    module Rack
      # The interface for `rackup -s spate` and `rails server`. They read the same configuration file as `spate-serve`.
      module Rackup
        SIGNALS = Workers::Supervisor::SIGNALS - %w[CHLD]
        # The environment variables with the handler's name, for rackup and for Rack 2.
        CHOICES = %w[RACKUP_HANDLER RACK_HANDLER].freeze
        # Servers that rackup prefers if the bundle contains them.
        OTHERS = %w[puma falcon].freeze

        # Called when Bundler requires this gem in `rails server`. Chooses this server without `-u spate`, unless the
        # bundle has another server or an environment variable names one.
        def self.choose(env = ENV, gems: Gem.loaded_specs)
          return if CHOICES.any? { |name| env[name] } || OTHERS.any? { |name| gems.key?(name) }

          CHOICES.each { |name| env[name] = "spate" }
        end

        # Serves until it is stopped. Uses rackup's options Host, Port, Threads and Silent, and ignores others. Options
        # that the user has given override the configuration file. Yields the running server, which `stop` ends.
        def run(app, **options, &block)
          before = SIGNALS.to_h { |name| [name, Signal.trap(name, "DEFAULT")] }
          values = values(options).merge(application: app, rack: "config.ru", quiet: options[:Silent])
          CommandLine::Program.new(values, command: command(options), out: $stdout, err: $stderr, env: ENV).run(&block)
        rescue Server::Error => e
          warn "hint: #{e.hint}" # rackup and rails print only the message
          raise
        ensure
          before&.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
        end

        def valid_options
          host, port = CommandLine::DEFAULTS.values_at(:host, :port)
          { "Host=HOST" => "Hostname to listen on (default: #{host})", "Port=PORT" => "Port to listen on " \
            "(default: #{port})", "Threads=N" => "requests that are processed at once (default: #{THREADS})" }
        end

        private

        # Rails lists the options that the user has given; other programs do not.
        def values(options)
          supplied = options[:user_supplied_options]
          given = supplied ? options.slice(*supplied) : options
          path = CommandLine::Configuration.find("config.ru")
          configuration = CommandLine::Configuration.new(path) if path
          environment = converted(options).merge(CommandLine::Configuration.environment(ENV))
          values = CommandLine.preset(configuration, environment)
          given = converted(given)
          values.delete(:more) if given.key?(:host) || given.key?(:port)
          values.merge(given)
        end

        def converted(options)
          { host: options[:Host], port: options[:Port] && Integer(options[:Port]),
            threads: options[:Threads]&.to_s&.slice(/\d+\z/)&.to_i }.compact
        end

        # Rails removes arguments from ARGV, but passes the whole command in restart_cmd.
        def command(options)
          program, *words = options[:restart_cmd] ? Shellwords.split(options[:restart_cmd]) : [$PROGRAM_NAME, *ARGV]
          Workers::Command.new(program, words, ENV)
        end
      end
    end
  end
end
