# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # Sends requests. Credentials are sent only to the host for which they were configured.
    class Client
      TEMPORARY = [408, 425, 429, 500, 502, 503, 504].freeze
      # Raised if a connection breaks or cannot be established.
      BROKEN = [SystemCallError, SocketError, IOError, Timeout::Error, Net::ProtocolError, Net::HTTPBadResponse,
                Net::HTTPHeaderSyntaxError, Meter::Endless, Meter::Slow].freeze
      # Thrown by a block to close the connection without reading the rest of a response.
      DROP = :drop_the_connection
      # A larger body (bytes) is sent only after the server has accepted the headers.
      EXPECT_CONTINUE_FROM = 64 << 10
      # An error page up to this size (bytes) is read, so that the connection can be reused. For a larger one, the
      # connection is closed.
      MAX_ERROR_BODY = 65_536

      # connections: Connections. redirects: maximum number of redirects. agent: the User-Agent.
      def initialize(connections, redirects:, agent:)
        @connections = connections
        @redirects = redirects
        @agent = agent
      end

      # Sends a GET request for a path of a remote. If the status is in `accept`, yields the Net::HTTPResponse before
      # its body is read. Returns the block's result. Raises the errors of HTTP.
      def get(remote, path, headers: {}, accept: [200])
        error = nil
        headers = headers.merge("X-Gemfile-Source" => remote.source) if remote.mirror?
        result = follow(:get, remote.locate(path), headers: headers, accept: accept, identity: remote.identity,
                                                   authorization: remote.authorization) do |answer, uri, authorization|
          next yield(answer) if accept.include?(answer.code.to_i)

          drain(answer)
          error = refusal(uri, answer, authorization, remote)
        end
        error ? raise(error) : result
      end

      # Sends a request and follows redirects, except for statuses in `accept`. Yields the first response that is not a
      # redirect, its URI and the Authorization that was sent. Otherwise the same as #perform.
      def follow(verb, uri, accept:, headers: {}, authorization: nil, identity: nil)
        first = uri
        credentials = Credentials.new(authorization, identity)
        (@redirects + 1).times do
          location, result = perform(verb, uri, headers: headers, **credentials.to_h) do |answer|
            location = answer["Location"] if answer.is_a?(Net::HTTPRedirection) && !accept.include?(answer.code.to_i)
            next [nil, yield(answer, uri, credentials.authorization)] unless location

            drain(answer)
            [location]
          end
          return result unless location

          uri, credentials = target(uri, location, credentials)
        end
        raise TooManyRedirects.new(first, @redirects)
      end

      # Sends one request and yields the Net::HTTPResponse of any status before its body is read. Returns the block's
      # result, or nil if the block throws DROP, which closes the connection. verb: :get, :head, :put, :post or :delete.
      # body: String, or an open File, which is sent from its start. identity: see Connections#with. Raises the errors
      # of HTTP. If the server has closed a reused connection before it responded, sends the request again immediately,
      # except after a timeout.
      def perform(verb, uri, headers: {}, body: nil, authorization: nil, identity: nil)
        request = request_for(verb, uri, headers, authorization, body)
        begin
          stale = started = false
          result = nil
          request.body_stream&.rewind
          catch(DROP) do
            @connections.with(uri, identity) do |http, reused|
              stale = reused
              http.request(request) do |answer|
                started = true
                result = yield answer
                throw DROP if unsent?(request)
              end
            end
          end
          result
        rescue *BROKEN => e
          raise Util::Cancelled if @connections.closed?

          retry if stale && !started && !e.is_a?(Timeout::Error)

          raise failure(uri, e)
        rescue OpenSSLError => e
          raise failure(uri, e)
        end
      end

      # Opens a connection for the next request. Raises the same errors as #perform.
      def connect(uri)
        @connections.with(uri) { nil }
      rescue *BROKEN, OpenSSLError => e
        raise Util::Cancelled if @connections.closed?

        raise failure(uri, e)
      end

      private

      # authorization: the header's value, or nil. identity: see Connections#with.
      Credentials = Struct.new(:authorization, :identity)
      NONE = Credentials.new.freeze
      private_constant :Credentials, :NONE

      def request_for(verb, uri, headers, authorization, body)
        Net::HTTP.const_get(verb.capitalize).new(uri.request_uri, headers).tap do |request|
          request["User-Agent"] = @agent
          request["Authorization"] = authorization if authorization
          set_body(request, body) if body
        end
      end

      def set_body(request, body)
        require "stringio"
        request.content_length = body.is_a?(String) ? body.bytesize : body.size
        request.body_stream = body.is_a?(String) ? StringIO.new(body) : body
        request["Content-Type"] ||= "application/octet-stream"
        request["Expect"] = "100-continue" if request.content_length > EXPECT_CONTINUE_FROM
      end

      # Whether the body was not sent because of an early response. The server may then interpret the next request on
      # that connection as the body.
      def unsent?(request) = request.content_length.to_i.positive? && request.body_stream.pos.zero?

      def failure(uri, error)
        case error
        when EOFError then Truncated.new(uri, nil, 0)
        when Meter::Endless then Endless.new(uri, Session::Wire::LINES)
        when Meter::Slow then TooSlow.new(uri, error)
        when OpenSSLError then certificate?(error) ? Untrusted.new(uri, error) : Unreachable.new(uri, error)
        else Unreachable.new(uri, error)
        end
      end

      # Matches OpenSSL's errors without loading OpenSSL, which is loaded only for https.
      module OpenSSLError
        def self.===(error) = defined?(OpenSSL::SSL::SSLError) && error.is_a?(OpenSSL::SSL::SSLError)
      end

      def certificate?(error) = error.message.match?(/certificate|verify failed|self.signed/i)

      def target(uri, location, credentials)
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
          error.retry_after = Util::Retries.seconds(response["Retry-After"])
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

    # Resolves the target of a redirect.
    module Redirect
      module_function

      # Returns [URI, whether the credentials also apply to the target]. Raises Misdirected, InsecureRedirect.
      def read(uri, location)
        target = uri.merge(location)
        raise Misdirected.new(uri, location) if !target.is_a?(URI::HTTP) || target.host.to_s.empty?
        raise InsecureRedirect.new(uri, target) if uri.scheme == "https" && target.scheme != "https"

        [target, same_host?(uri, target)]
      rescue URI::Error
        raise Misdirected.new(uri, location)
      end

      # A different port is a different server, but the default ports of http and https are treated as the same.
      def same_host?(uri, target)
        uri.host == target.host &&
          (uri.port == target.port || [uri, target].all? { |each| each.port == each.default_port })
      end
    end
  end
end
