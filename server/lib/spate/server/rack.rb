# frozen_string_literal: true

module Spate
  module Server
    # Rack applications (SPEC of Rack 3, and of Rack 2) as handlers. Applications run on their own threads, never on the
    # thread of the reactor.
    module Rack
      autoload :Application, "spate/server/rack/application"
      autoload :Authority, "spate/server/rack/authority"
      autoload :BufferedBody, "spate/server/rack/buffered_body"
      autoload :ChunkDecoder, "spate/server/rack/chunk_decoder"
      autoload :EarlyHints, "spate/server/rack/environment"
      autoload :Environment, "spate/server/rack/environment"
      autoload :Fields, "spate/server/rack/fields"
      autoload :Handler, "spate/server/rack/handler"
      autoload :Hijack, "spate/server/rack/hijack"
      autoload :Input, "spate/server/rack/input"
      autoload :Rackup, "spate/server/rack/rackup"
      autoload :Reply, "spate/server/rack/reply"
      autoload :Stream, "spate/server/rack/stream"
      autoload :ThreadPool, "spate/server/rack/thread_pool"

      THREADS = 5
      WAITING = 1024
      # The format of a number of threads.
      COUNT = /\A[1-9]\d{0,5}\z/

      # Makes a handler that calls a Rack application.
      #
      # @param app [String, #call] the path of a config.ru, or an object with `call(env)`
      # @param threads [Integer, nil] that run at the same time; nil for {threads}
      # @param waiting [Integer] requests that may wait for a thread; more are answered with 503
      # @param log [#call, nil] called with a line; nil for stderr
      # @param multiprocess [Boolean] whether other processes serve the same application
      # @return [Handler]
      # @raise [Server::Error] when the file does not exist or requires something that is missing
      def self.handler(app, threads: nil, waiting: WAITING, log: nil, multiprocess: false)
        threads ||= self.threads
        app = Application.load(app) if app.is_a?(String)
        Handler.new(app, threads: threads, waiting: waiting, multiprocess: multiprocess,
                         log: log || ->(line) { warn line })
      end

      # The number of threads from the environment variables that Rails and puma use.
      #
      # @param env [ENV, Hash{String => String}]
      # @return [Integer]
      # @raise [Server::Error] for anything but a number
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
