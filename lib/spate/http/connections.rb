# frozen_string_literal: true

require "net/http"

module Spate
  module HTTP
    # A pool of keep-alive connections by host and identity. It opens as many connections as there are concurrent
    # requests.
    class Connections
      # An idle connection is not reused after this time (seconds), because proxies and servers close idle connections
      # silently.
      IDLE = 15

      # timeout: seconds for each read or write. connect: seconds for connecting, by default the same. names: seconds
      # for looking up a host name, or nil for no limit. pace: minimum pace of responses (Meter::Pace).
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
      # closed. Raises Cancelled after #close. identity: the credentials that determine the client certificate, or nil
      # for the default (see Certificates#apply). A connection is used for only one identity.
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

      # Closes all connections, including those in use. Threads that wait for data immediately receive an IOError.
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
        @addresses.try_each((proxy || uri).hostname) { |address| start(build(uri, address, proxy, identity)) }
      end

      def start(http)
        @mutex.synchronize { @busy[http] = true }
        http.start
        raise Util::Cancelled if @closed # #close could not close the connection before it was established

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

      # address: the address of the host or, if there is one, of the proxy.
      def build(uri, address, proxy, identity)
        http = Session.new(uri.hostname, uri.port, *(proxy ? proxied(proxy, address) : [nil]))
        http.ipaddr = address unless proxy
        http.pace = @pace
        http.read_timeout = http.write_timeout = @timeout
        http.open_timeout = http.ssl_timeout = @connect
        http.continue_timeout = 1 # used for requests with "Expect: 100-continue"
        http.keep_alive_timeout = IDLE
        http.max_retries = 0 # Util::Retries retries instead
        http.ignore_eof = false if http.respond_to?(:ignore_eof=)
        @certificates.apply(http, identity) if uri.scheme == "https"
        http
      end

      # The arguments of Net::HTTP.new for the proxy. Without a proxy, nil prevents Net::HTTP from reading the
      # environment.
      def proxied(proxy, address)
        user, password = [proxy.user, proxy.password].map { |part| part && URI.decode_www_form_component(part) }
        [address, proxy.port, user, password]
      end
    end
  end
end
