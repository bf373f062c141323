# frozen_string_literal: true

require "stringio"

module Spate
  module RemoteCache
    # One request after the other to servers that may be down, slow, or somebody else: an answer, or Unavailable.
    class Requests
      # A server that takes no such file says so before it is sent.
      ASK_BEFORE = 64 << 10
      # What helps where nobody spoke TLS, or not with this client.
      PORT = "a server without TLS at that port has an address that begins with http://; one that asks for " \
             "certificates: bundle config set ssl_client_cert FILE"
      private_constant :ASK_BEFORE, :PORT

      # timeout, connect: seconds between two reads, and to connect; for a name, others have to be asked. pace:
      # Spate::HTTP::Meter::Pace.
      def self.by(env:, settings:, timeout:, connect:, pace:)
        gemrc = Spate::HTTP::Gemrc.load(env)
        proxy = Spate::HTTP::Proxy.new(env: env, gemrc: gemrc["http_proxy"])
        certificates = Spate::HTTP::Certificates.new(settings: settings, gemrc: gemrc, env: env)
        new(Spate::HTTP::Connections.new(proxy: proxy, certificates: certificates, timeout: timeout,
                                         connect: connect, names: 4 * connect, pace: pace))
      end

      # For an address of this machine or its host. seconds: to connect, and for each answer.
      def self.without_proxy(seconds)
        new(Spate::HTTP::Connections.new(
              proxy: Spate::HTTP::Proxy.new(env: {}), timeout: seconds,
              pace: Spate::HTTP::Meter::Pace.new(100, seconds),
              certificates: Spate::HTTP::Certificates.new(settings: {}, gemrc: {})
            ))
      end

      # connections: Spate::HTTP::Connections.
      def initialize(connections)
        @connections = connections
        @exchange = Spate::HTTP::Client.new(connections, redirects: 0, agent: "spate/#{VERSION}")
      end

      # Yields the answer (Net::HTTPResponse), its body yet to be read, and returns what the block does; nil where
      # that skipped a page that was too long. verb: :get, :head, :put, :post or :delete. body: String, or an open
      # File. address: whom an Unavailable is to name.
      def perform(verb, uri, address:, headers: {}, body: nil)
        result = nil
        request = request(verb, uri, headers, body)
        translating(address) do
          catch(Answer::SKIPPED) do
            @exchange.perform(uri, request) do |answer|
              @last = [answer, Time.now]
              result = yield answer
              throw Answer::SKIPPED if spared?(request)
            end
          end
        end
        result
      end

      # Seconds by which this machine's clock is before that of who answered last; 0 where that told no time.
      def ahead
        answer, came = @last
        date = Answer.time(answer, "Date") if answer
        date ? came - date : 0
      end

      # Opens a connection for the next request. Raises Unavailable.
      def connect(uri, address:) = translating(address) { @exchange.connect(uri) }

      # Ends all requests at once.
      def close = @connections.close

      private

      # A server that answered at once may take what comes next on that connection for the body.
      def spared?(request) = request.content_length.to_i.positive? && request.body_stream.pos.zero?

      def translating(address)
        yield
      rescue Spate::HTTP::Error => e
        raise unavailable(address, e)
      rescue Settings::Error => e # of certificates
        raise Unavailable.new(:tls, address, "is not asked: #{e.message}", hint: e.hint)
      rescue Ground::Cancelled
        raise Unavailable.new(:closed, address, "is asked no more")
      end

      def request(verb, uri, headers, body)
        Net::HTTP.const_get(verb.capitalize).new(uri.request_uri, "Accept-Encoding" => "identity", **headers)
                 .tap do |request|
          request["User-Agent"] = "spate/#{VERSION}"
          carry(request, body) if body
        end
      end

      def carry(request, body)
        request.content_length = body.is_a?(String) ? body.bytesize : body.size
        request.body_stream = body.is_a?(String) ? StringIO.new(body) : body
        request["Content-Type"] ||= "application/octet-stream"
        request["Expect"] = "100-continue" if request.content_length > ASK_BEFORE
      end

      def unavailable(address, error)
        cause = error.cause
        reason, fact, hint =
          case error
          when Spate::HTTP::Untrusted then [:tls, "has a certificate that is not trusted: #{cause.message}"]
          when Spate::HTTP::TooSlow then [:slow, cause.message]
          when Spate::HTTP::Truncated then [:answer, "broke off"]
          when Spate::HTTP::Endless
            [:answer, "sends more than #{Spate::HTTP::Session::Wire::LINES} bytes of headers"]
          else unreached(cause)
          end
        Unavailable.new(reason, address, fact, hint: hint || Unavailable::HINTS.fetch(reason))
      end

      def unreached(cause)
        case cause
        when Timeout::Error then [:slow, "did not answer in time (#{cause.class})"]
        when Net::HTTPExceptions then [:refused, "cannot be reached through its proxy: #{cause.message}"]
        when Net::ProtocolError, Net::HTTPBadResponse, Net::HTTPHeaderSyntaxError
          [:answer, "does not answer in HTTP: #{cause.message[0, 80].dump}"]
        when Spate::HTTP::Client::OpenSSLError then [:tls, "could not agree on TLS: #{cause.message}", PORT]
        else [:refused, "cannot be reached: #{cause.message}"]
        end
      end
    end
  end
end
