# frozen_string_literal: true

module Spate
  module Server
    # Serves Rack applications (SPEC of Rack 3 and of Rack 2). Applications run on their own threads, never on the
    # reactor's thread.
    module Rack
      autoload :Application, "spate/server/rack/application"
      autoload :Authority, "spate/server/rack/authority"
      autoload :BufferedBody, "spate/server/rack/buffered_body"
      autoload :Callbacks, "spate/server/rack/callbacks"
      autoload :ChunkDecoder, "spate/server/rack/chunk_decoder"
      autoload :EarlyHints, "spate/server/rack/environment"
      autoload :Environment, "spate/server/rack/environment"
      autoload :Fields, "spate/server/rack/fields"
      autoload :Handler, "spate/server/rack/handler"
      autoload :Hijack, "spate/server/rack/hijack"
      autoload :Input, "spate/server/rack/input"
      autoload :Rackup, "spate/server/rack/rackup"
      autoload :Reply, "spate/server/rack/reply"
      autoload :Sendfile, "spate/server/rack/sendfile"
      autoload :Stream, "spate/server/rack/stream"
      autoload :ThreadPool, "spate/server/rack/thread_pool"

      THREADS = 5
      WAITING = 1024
      # The format of a number of threads.
      COUNT = /\A[1-9]\d{0,5}\z/

      # Makes a handler that calls a Rack application.
      #
      # @param app [String, #call] the path of a config.ru, or an object with `call(env)`
      # @param threads [Integer, nil] number of threads; nil for {threads}
      # @param waiting [Integer] requests that may wait for a thread; more are answered with 503
      # @param log [#call, nil] called with a line; nil for stderr
      # @param multiprocess [Boolean] whether other processes serve the same application
      # @param trusted_proxies [Array<String>] addresses and networks whose x-forwarded-proto is trusted, "unix" for
      #   the clients of a Unix socket
      # @param sendfile [Array<String>] folders whose files x-sendfile may name, and "URI=DIR" for x-accel-redirect
      # @param hooks [Hash{Symbol => Array<Proc>}] blocks by the names of puma's directives: :before_thread_start,
      #   :before_thread_exit, and :lowlevel_error_handler, which returns the response for an error
      # @param queue_time [#call, nil] called on a thread of the application with the seconds that a request waited
      # @return [Handler]
      # @raise [Server::Error] when the file does not exist or requires something that is missing
      def self.handler(app, threads: nil, waiting: WAITING, log: nil, multiprocess: false,
                       trusted_proxies: [], sendfile: [], hooks: {}, queue_time: nil)
        threads ||= self.threads
        app = Application.load(app) if app.is_a?(String)
        proxies = Environment::TrustedProxies.new(trusted_proxies) if trusted_proxies.any?
        Handler.new(app, threads: threads, waiting: waiting, multiprocess: multiprocess, proxies: proxies, hooks: hooks,
                         queue_time: queue_time, sendfile: (Sendfile.new(sendfile) if sendfile.any?),
                         log: log || ->(line) { warn line })
      end

      # The number of threads from the environment variables that Rails and puma use.
      #
      # @param env [ENV, Hash{String => String}]
      # @return [Integer]
      # @raise [Server::Error] if the value is not a number
      def self.threads(env = ENV)
        name = %w[RAILS_MAX_THREADS MAX_THREADS].find { |variable| env[variable] } or return THREADS
        return env[name].to_i if env[name].match?(COUNT)

        raise Error.new("#{name} is #{env[name].inspect}; expected a number of at least 1",
                        hint: "unset it, or use --threads N")
      end

      # @!visibility private
      # Whether the loaded gem rack is older than 3: values are joined by line breaks, and input must be rewindable.
      def self.second? = defined?(::Rack.release) ? ::Rack.release < "3" : false
    end
  end
end
