# frozen_string_literal: true

require "socket"

module GemSource
  # The source's server, in threads of this process.
  class Server
    attr_reader :catalog, :port, :bandwidth

    # latency_ms: before each response. bandwidth: bytes per second of a connection, 0 for unlimited.
    # userinfo: "user:password" that every request must contain. compact: false: no compact index.
    # tls: an Authority that signs the server's certificate. client_certificate: whether clients need one of that
    # Authority.
    def initialize(catalog, latency_ms: 0, bandwidth: 0, userinfo: nil, compact: true, tls: nil,
                   client_certificate: false, temporary: nil)
      @catalog = catalog
      @latency_ms = latency_ms
      @bandwidth = bandwidth
      @userinfo = userinfo
      @pages = Pages.new(catalog, compact: compact)
      @tls = tls&.server_context(client_certificate: client_certificate)
      @temporary = temporary
      @faults = []
      @requests = []
      @connections = 0
      @sockets = {}
      @mutex = Mutex.new
    end

    def start
      @listener = TCPServer.new("127.0.0.1", 0)
      @listener.listen(511)
      @port = @listener.addr[1]
      @thread = Thread.new { accept }
      @thread.report_on_exception = false
      self
    end

    def stop
      @listener.close
      @thread.kill.join
      @mutex.synchronize { @sockets.dup }.each do |thread, socket|
        socket.close
        thread.kill.join
      end
      FileUtils.rm_rf(@temporary) if @temporary
    end

    # For a client, the hosts "127.0.0.1" and "localhost" differ. Names below .test need a Proxy.
    def url(host: "localhost", userinfo: nil)
      "#{@tls ? "https" : "http"}://#{"#{userinfo}@" if userinfo}#{host}:#{port}/"
    end

    def latency = @latency_ms / 1000.0

    # Creates a gem (see Recipe) and serves it. Returns its Catalog::Entry.
    def add(name, version, **recipe, &change) = catalog.add(Recipe.new(name, version, **recipe, &change))

    def yank(full_name) = catalog.yank(full_name)

    # See Fault for kinds and options.
    def fault(pattern, kind, times: nil, **facts)
      @mutex.synchronize { @faults << Fault.new(pattern, kind, times: times, **facts) }
      self
    end

    def clear_faults = @mutex.synchronize { @faults.clear }

    # The requests since the last forget_requests, [Request]. #connections is the number of accepted connections.
    def requests = @mutex.synchronize { @requests.dup }
    def connections = @mutex.synchronize { @connections }

    def forget_requests
      @mutex.synchronize do
        @requests.clear
        @connections = 0
      end
    end

    # For Connection. Returns [Response, the applied faults].
    def respond(request)
      faults = @mutex.synchronize { @requests.push(request) && @faults.dup }
      faults = faults.select { |fault| fault.take?(request) }
      response = allowed?(request) ? @pages.answer(request) : refusal
      [faults.reduce(response) { |result, fault| fault.apply(request, result) }, faults]
    end

    private

    def allowed?(request) = @userinfo.nil? || request.userinfo == @userinfo

    def refusal = Response.text(401, "Who are you?\n", "WWW-Authenticate" => "Basic realm=\"gems\"")

    def accept
      loop do
        raw = @listener.accept
        thread = Thread.new { converse(raw) }
        thread.report_on_exception = false
        @mutex.synchronize do
          @connections += 1
          @sockets[thread] = raw
        end
      end
    rescue IOError, SystemCallError
      nil # stopped
    end

    def converse(raw)
      raw.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, 1)
      socket = @tls ? shake_hands(raw) : raw
      Connection.new(socket, raw, self).serve if socket
    ensure
      raw.close unless raw.closed?
      @mutex.synchronize { @sockets.delete(Thread.current) }
    end

    def shake_hands(raw)
      socket = OpenSSL::SSL::SSLSocket.new(raw, @tls)
      socket.sync_close = true
      socket.accept
    rescue OpenSSL::SSL::SSLError, SystemCallError
      nil # client or server rejected the certificate
    end
  end
end
