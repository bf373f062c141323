# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # A request and its response, following redirects. Credentials go only to the host they are for.
    class Client
      TEMPORARY = [408, 425, 429, 500, 502, 503, 504].freeze
      # Raised when a connection breaks or cannot be made.
      BROKEN = [SystemCallError, SocketError, IOError, Timeout::Error, Net::ProtocolError, Net::HTTPBadResponse,
                Net::HTTPHeaderSyntaxError, Meter::Endless, Meter::Slow].freeze
      # An error page up to this size is read to keep the connection; a larger one costs the connection.
      MAX_ERROR_BODY = 65_536

      # connections: Connections; redirects: how many at most; agent: the User-Agent.
      def initialize(connections, redirects:, agent:)
        @connections = connections
        @redirects = redirects
        @agent = agent
      end

      # GETs a path of a remote and yields the Net::HTTPResponse, its body yet to be read, when its status is among
      # `accept`. Returns what the block returns. Raises the errors of Registry.
      def get(remote, path, headers: {}, accept: [200], &block)
        uri = remote.locate(path)
        credentials = Credentials.new(remote.authorization, remote.identity)
        headers = headers.merge("X-Gemfile-Source" => remote.source) if remote.mirror?
        (@redirects + 1).times do
          location, result = ask(uri, headers, credentials, accept, remote, &block)
          return result unless location

          uri, credentials = follow(uri, location, credentials)
        end
        raise TooManyRedirects.new(remote.locate(path), @redirects)
      end

      # Sends one request (a Net::HTTP::Get or its like) and yields the Net::HTTPResponse, whatever its status, its
      # body yet to be read. Returns it. Raises the errors of Registry. The server may have closed a kept connection
      # meanwhile: that is no failed attempt, and another one is tried at once. One that says nothing is not closed.
      def perform(uri, request, identity = nil, &block)
        begin
          stale = started = false
          request.body_stream&.rewind
          @connections.with(uri, identity) do |http, reused|
            stale = reused
            http.request(request) do |answer|
              started = true
              block.call(answer)
            end
          end
        rescue *BROKEN => e
          raise Ground::Cancelled if @connections.closed?

          retry if stale && !started && !e.is_a?(Timeout::Error)

          raise failure(uri, e)
        end
      rescue OpenSSLError => e
        raise failure(uri, e)
      end

      # Opens a connection for who asks next. Raises as #perform does.
      def connect(uri)
        @connections.with(uri) { nil }
      rescue *BROKEN, OpenSSLError => e
        raise Ground::Cancelled if @connections.closed?

        raise failure(uri, e)
      end

      private

      # Who asks. authorization: the header's value, or nil. identity: see Connections#with.
      Credentials = Struct.new(:authorization, :identity)
      NONE = Credentials.new.freeze
      private_constant :Credentials, :NONE

      # [location, nil] of a redirect, else [nil, result].
      def ask(uri, headers, credentials, accept, remote)
        request = request_for(uri, headers, credentials.authorization)
        result = nil
        response = perform(uri, request, credentials.identity) do |answer|
          accept.include?(answer.code.to_i) ? result = yield(answer) : drain(answer)
        end
        return [nil, result] if accept.include?(response.code.to_i)
        return [response["Location"], nil] if response.is_a?(Net::HTTPRedirection) && response["Location"]

        raise refusal(uri, response, credentials.authorization, remote)
      end

      def request_for(uri, headers, authorization)
        Net::HTTP::Get.new(uri.request_uri, headers).tap do |request|
          request["User-Agent"] = @agent
          request["Authorization"] = authorization if authorization
        end
      end

      def failure(uri, error)
        case error
        when EOFError then Truncated.new(uri, nil, 0)
        when Meter::Endless then Endless.new(uri, Session::Wire::LINES)
        when Meter::Slow then TooSlow.new(uri, error)
        when OpenSSLError then certificate?(error) ? Untrusted.new(uri, error) : Unreachable.new(uri, error)
        else Unreachable.new(uri, error)
        end
      end

      # OpenSSL is loaded only for https, and nothing else raises its errors.
      module OpenSSLError
        def self.===(error) = defined?(OpenSSL::SSL::SSLError) && error.is_a?(OpenSSL::SSL::SSLError)
      end

      def certificate?(error) = error.message.match?(/certificate|verify failed|self.signed/i)

      def follow(uri, location, credentials)
        target, own = Redirect.read(uri, location)
        given = target.userinfo
        target.userinfo = nil
        return [target, Credentials.new(HTTP.basic(given))] if given

        [target, own ? credentials : NONE]
      end

      def refusal(uri, response, authorization, remote)
        status = response.code.to_i
        case status
        when 401 then authorization ? CredentialsRefused.new(uri, remote.origin) : CredentialsRequired.new(uri)
        when 403 then Forbidden.new(uri, authorization && remote.origin)
        when 404, 410 then Status::Missing.new(uri, status, response.message)
        when *TEMPORARY then temporary(uri, response)
        else Status.new(uri, status, response.message)
        end
      end

      def temporary(uri, response)
        Status::Temporary.new(uri, response.code.to_i, response.message).tap do |error|
          error.retry_after = Ground::Retries.seconds(response["Retry-After"])
        end
      end

      def drain(answer)
        size = 0
        answer.read_body do |chunk|
          size += chunk.bytesize
          raise refusal_too_long(answer) if size > MAX_ERROR_BODY
        end
      end

      def refusal_too_long(answer) = Net::HTTPBadResponse.new("#{answer.code} #{answer.message}, with a long page")
    end
  end
end
