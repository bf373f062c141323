# frozen_string_literal: true

require "socket"

module Spate
  module Server
    module Rack
      # The interface for `rackup -s spate` and `rails server -u spate`.
      module Rackup
        HOST = "localhost"
        PORT = 8080
        SIGNALS = %w[INT TERM].freeze

        # A running server; `stop` ends it.
        Running = Struct.new(:reactor, :address) do
          def stop = reactor.stop
          alias_method :shutdown, :stop
        end

        # Serves until it is stopped. Uses rackup's options Host, Port and Threads, and ignores others. Yields a Running
        # before it starts.
        def run(app, **options)
          threads = options[:Threads]&.to_s&.slice(/\d+\z/)&.to_i
          listener = Reactor::Listener.open(options[:Host] || HOST, Integer(options[:Port] || PORT))
          handler = Rack.handler(app, threads: threads)
          reactor = Reactor.new(listener, handler, log: Monitoring::Log.new($stderr))
          running = Running.new(reactor, Reactor::Listener.address(listener))
          yield running if block_given?
          warn "spate #{VERSION} on #{running.address} with #{handler.pool.threads} threads" unless options[:Silent]
          until_stopped(reactor)
        rescue Server::Error => e
          warn "hint: #{e.hint}" # rackup and rails print only the message
          raise
        ensure
          handler&.close
          listener&.close
        end

        def valid_options
          { "Host=HOST" => "Hostname to listen on (default: #{HOST})", "Port=PORT" => "Port to listen on " \
            "(default: #{PORT})", "Threads=N" => "requests that are processed at once (default: #{THREADS})" }
        end

        private

        # Runs the reactor. The first signal stops it after open requests have finished.
        def until_stopped(reactor)
          before = SIGNALS.to_h { |name| [name, Signal.trap(name) { reactor.stop }] }
          reactor.run
        ensure
          before&.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
        end
      end
    end
  end
end
