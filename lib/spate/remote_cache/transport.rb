# frozen_string_literal: true

module Spate
  module RemoteCache
    # Included by each transport. Reads into memory or a file. Calls the transport's `read(name, limit) { |bytes| }`,
    # which returns whether the name exists.
    #
    #   Requests   sends requests of HTTP and S3
    #   Answer     reads the body of a response within limits
    module Transport
      autoload :Answer, "spate/remote_cache/transport/answer"

      # The number of bytes to read from a file at a time.
      CHUNK = 256 * 1024

      # The time when data was last received (monotonic seconds), or nil. While received data is being written, returns
      # the current time, so that a slow disk is not mistaken for a slow cache.
      def answered_at = writers.empty? ? @answered_at : Util.now

      # Opens a connection for the next request, if the transport has connections.
      def connect = nil

      def get(name, limit:)
        text = String.new(encoding: Encoding::BINARY)
        text if receive(name, limit) { |bytes| text << bytes }
      end

      # Raises Store::Error if `to` cannot be written.
      def fetch(name, to:, limit:)
        part = "#{Util::Files.beside(to)}.part"
        written = 0
        file = nil
        found = receive(name, limit) do |bytes|
          written += on_disk(to) { (file ||= create(part)).write(bytes) }
        end
        return unless found

        while_writing do
          on_disk(to) do
            (file ||= create(part)).close
            File.rename(part, to)
          end
        end
        written
      ensure
        file&.close
        Util::Files.remove(part) if file
      end

      private

      def receive(name, limit)
        found = read(RemoteCache.name(name), limit) { |bytes| while_writing { yield bytes } }
        @answered_at = Util.now
        found
      end

      def while_writing
        writers[Thread.current] = true
        yield
      ensure
        writers.delete(Thread.current)
        @answered_at = Util.now
      end

      # The threads that are writing received data.
      def writers = @writers ||= {}.compare_by_identity

      def create(path) = File.open(path, File::WRONLY | File::CREAT | File::EXCL | File::BINARY, 0o644)

      # Converts errors of the local disk to Store::Error, to distinguish them from errors of the cache.
      def on_disk(path)
        yield
      rescue SystemCallError => e
        raise Store::Error.for(e, path)
      end

      # Sends requests to a server that may be down or slow, or may be something other than a cache. Yields a response
      # or raises Unavailable.
      class Requests
        REDIRECTS = 5
        # The hint for a failed TLS handshake.
        PORT = "if the server does not use TLS, its address begins with http://; if it requires client " \
               "certificates: bundle config set ssl_client_cert FILE"
        private_constant :REDIRECTS, :PORT

        # timeout, connect: time limits in seconds for each read and for connecting. The limit for name resolution is
        # longer, since a name server queries other servers. pace: HTTP::Meter::Pace.
        def self.by(env:, settings:, timeout:, connect:, pace:)
          gemrc = Spate::HTTP::Gemrc.load(env)
          new(proxy: Spate::HTTP::Proxy.new(env: env, gemrc: gemrc["http_proxy"]), names: 4 * connect, pace: pace,
              certificates: Spate::HTTP::Certificates.new(settings: settings, gemrc: gemrc, env: env),
              timeout: timeout, connect: connect)
        end

        # For addresses of this machine or its host. seconds: time limit for connecting and for each response.
        def self.without_proxy(seconds)
          new(proxy: Spate::HTTP::Proxy.new(env: {}), timeout: seconds,
              pace: Spate::HTTP::Meter::Pace.new(100, seconds),
              certificates: Spate::HTTP::Certificates.new(settings: {}, gemrc: {}))
        end

        # options: see HTTP::Connections.
        def initialize(**options)
          @connections = Spate::HTTP::Connections.new(**options)
          @http = Spate::HTTP::Client.new(@connections, redirects: REDIRECTS, agent: "spate/#{VERSION}")
        end

        # Yields the response (Net::HTTPResponse) before its body is read. Returns the block's result, or nil if the
        # block skipped a page that was too long (Answer.skip). address: for the message of Unavailable. options: see
        # HTTP::Client#perform.
        def perform(verb, uri, address:, **options,
                    &block) = send_request(:perform, verb, uri, address, options, &block)

        # Like #perform, but follows redirects, except for statuses in `accept`. Also yields the Authorization header
        # that was sent.
        def follow(verb, uri, address:, **options)
          send_request(:follow, verb, uri, address, options) { |answer, _, authorization| yield answer, authorization }
        end

        # The seconds by which this machine's clock is ahead of the server's, according to the last response; 0 if it
        # had no date.
        def ahead
          answer, came = @last
          date = Answer.time(answer, "Date") if answer
          date ? came - date : 0
        end

        # Opens a connection for the next request. Raises Unavailable.
        def connect(uri, address:) = translating(address) { @http.connect(uri) }

        # Aborts all requests immediately.
        def close = @connections.close

        private

        def send_request(kind, verb, uri, address, options)
          headers = { "Accept-Encoding" => "identity", **options.fetch(:headers, {}) }
          translating(address) do
            @http.public_send(kind, verb, uri, **options, headers: headers) do |answer, *facts|
              @last = [answer, Time.now]
              yield answer, *facts
            end
          end
        end

        def translating(address)
          yield
        rescue Spate::HTTP::Error => e
          raise unavailable(address, e)
        rescue Settings::Error => e # an error in the settings of certificates
          raise Unavailable.new(:tls, address, "cannot be queried: #{e.message}", hint: e.hint)
        rescue Util::Cancelled
          raise Unavailable.new(:closed, address, "is closed")
        end

        def unavailable(address, error)
          cause = error.cause
          reason, fact, hint =
            case error
            when Spate::HTTP::Untrusted then [:tls, "has a certificate that is not trusted: #{cause.message}"]
            when Spate::HTTP::TooSlow then [:slow, cause.message]
            when Spate::HTTP::Truncated then [:answer, "closed the connection before the end of the response"]
            when Spate::HTTP::RedirectError then [:answer, error.fact]
            when Spate::HTTP::Endless
              [:answer, "sends more than #{Spate::HTTP::Session::Wire::LINES} bytes of headers"]
            else unreached(cause)
            end
          Unavailable.new(reason, address, fact, hint: hint || Unavailable::HINTS.fetch(reason))
        end

        def unreached(cause)
          case cause
          when Timeout::Error then [:slow, "did not respond in time (#{cause.class})"]
          when Net::HTTPExceptions then [:refused, "cannot be reached through its proxy: #{cause.message}"]
          when Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError
            [:answer, "does not respond in HTTP: #{cause.message[0, 80].dump}"]
          when Spate::HTTP::Client::OpenSSLError then [:tls, "failed the TLS handshake: #{cause.message}", PORT]
          else [:refused, "cannot be reached: #{cause.message}"]
          end
        end
      end
    end
  end
end
