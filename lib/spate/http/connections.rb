# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # Keep-alive connections by host and identity. An idle connection is given to the next thread that needs one; there
    # are as many connections as concurrent requests.
    class Connections
      # Seconds after which an idle connection is no longer used, since proxies and servers close idle connections
      # silently.
      IDLE = 15

      # timeout: seconds between two reads; connect: for connecting, by default the same; names: for looking up a host
      # name, nil for no limit. pace: minimum pace of responses.
      def initialize(proxy:, certificates:, timeout:, connect: timeout, names: nil, pace: Meter::LOWEST)
        @proxy = proxy
        @certificates = certificates
        @timeout = timeout
        @connect = connect
        @pace = pace
        @addresses = Addresses.new(names)
        @idle = Hash.new { |idle, key| idle[key] = [] }
        @busy = {}
        @closed = false
        @mutex = Mutex.new
      end

      # Yields a started Session for the URI's host, and whether it was used before. If the block raises, the session is
      # closed. identity: the credentials with the certificate to present, if it is not the same for all (see
      # Certificates#apply); a connection is used for one identity only. Raises Cancelled after #close.
      def with(uri, identity = nil)
        key = ["#{uri.scheme}://#{uri.host}:#{uri.port}", identity]
        http, reused = take(key, uri)
        result = yield http, reused
        whole = true
        result
      ensure
        if http
          whole ? give_back(key, http) : drop(http)
        end
      end

      # Ends all connections, including those in use: threads that wait for bytes immediately get an IOError.
      def close
        connections = @mutex.synchronize do
          @closed = true
          @idle.values.flatten + @busy.keys
        end
        connections.each { |http| finish(http) }
      end

      def closed? = @closed

      private

      def take(key, uri)
        http = @mutex.synchronize do
          raise Util::Cancelled if @closed

          @idle[key].pop.tap { |found| @busy[found] = true if found }
        end
        return [http, true] if http

        [connect(uri, key.last), false]
      end

      def connect(uri, identity)
        proxy = @proxy.for(uri)
        @addresses.reach((proxy || uri).hostname) { |address| start(build(uri, address, proxy, identity)) }
      end

      def start(http)
        @mutex.synchronize { @busy[http] = true }
        http.start
        raise Util::Cancelled if @closed # #close could not end the connection before it was established

        http
      rescue StandardError
        finish(http)
        @mutex.synchronize { @busy.delete(http) }
        raise
      end

      def give_back(key, http)
        @mutex.synchronize do
          @busy.delete(http)
          return @idle[key].push(http) unless @closed
        end
        finish(http)
      end

      def drop(http)
        @mutex.synchronize { @busy.delete(http) }
        finish(http)
      end

      def finish(http)
        http.finish if http.started?
      rescue IOError, SystemCallError
        nil # the server or another thread has already closed it
      end

      # address: of the host, or of the proxy if there is one.
      def build(uri, address, proxy, identity)
        http = Session.new(uri.hostname, uri.port, *(proxy ? proxied(proxy, address) : [nil]))
        http.ipaddr = address unless proxy
        http.pace = @pace
        http.read_timeout = http.write_timeout = @timeout
        http.open_timeout = http.ssl_timeout = @connect
        http.continue_timeout = 1 # for senders of "Expect: 100-continue"
        http.keep_alive_timeout = IDLE
        http.max_retries = 0 # the class Retries decides about retries
        http.ignore_eof = false if http.respond_to?(:ignore_eof=)
        @certificates.apply(http, identity) if uri.scheme == "https"
        http
      end

      # The proxy's arguments of Net::HTTP.new; nil prevents Net::HTTP from reading the environment itself.
      def proxied(proxy, address)
        user, password = [proxy.user, proxy.password].map { |part| part && URI.decode_www_form_component(part) }
        [address, proxy.port, user, password]
      end
    end
  end
end
