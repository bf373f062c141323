# frozen_string_literal: true

require "socket"

module GemSource
  # A connection with one client. Serves one request after the other, at the configured speed.
  class Connection
    CHUNK = 16 * 1024
    LINGER_AND_RESET = [1, 0].pack("ii")

    # socket: for requests, may be TLS; raw: its TCP socket.
    def initialize(socket, raw, server)
      @socket = socket
      @raw = raw
      @server = server
    end

    def serve
      while (request = read_request)
        break unless answer(request)
      end
    rescue SystemCallError, IOError, OpenSSLError
      nil # the client closed the connection
    ensure
      close
    end

    def close
      @socket.close
    rescue SystemCallError, IOError
      nil
    end

    OpenSSLError = defined?(OpenSSL::SSL::SSLError) ? OpenSSL::SSL::SSLError : IOError
    private_constant :OpenSSLError

    private

    def read_request
      line = @socket.gets("\r\n") or return
      verb, target, = line.split
      headers = {}
      while (line = @socket.gets("\r\n")) && line != "\r\n"
        name, value = line.chomp.split(":", 2)
        headers[name.downcase] = value.to_s.strip
      end
      @socket.write("HTTP/1.1 100 Continue\r\n\r\n") if headers["expect"]
      body = @socket.read(headers["content-length"].to_i) if headers["content-length"]
      Request.new(verb, target, headers, headers["host"], body)
    end

    # Returns false if the connection is over.
    def answer(request)
      response, faults = @server.respond(request)
      sleep(@server.latency) if @server.latency.positive?
      broken = faults.find { |fault| %i[truncate reset stall endless].include?(fault.kind) }
      return break_off(broken, response) if broken

      @socket.write(response.head)
      write_body(response) unless request.verb == "HEAD" || response.status == 304
      request.headers["connection"].to_s.downcase != "close"
    end

    def write_body(response)
      return pace(response.body) unless response.body.is_a?(Hash)

      File.open(response.body[:file], "rb") do |file|
        return IO.copy_stream(file, @socket) unless @server.bandwidth.positive?

        started = now
        sent = 0
        while (chunk = file.read(CHUNK))
          sent = paced(chunk, sent, started)
        end
      end
    end

    def pace(bytes)
      return @socket.write(bytes) unless @server.bandwidth.positive?

      started = now
      sent = 0
      sent = paced(bytes.byteslice(sent, CHUNK), sent, started) while sent < bytes.bytesize
    end

    # Writes a chunk, and waits as the bandwidth requires. Returns the number of bytes sent so far.
    def paced(chunk, sent, started)
      @socket.write(chunk)
      sent += chunk.bytesize
      wait = started + (sent.to_f / @server.bandwidth) - now
      sleep(wait) if wait.positive?
      sent
    end

    def break_off(fault, response)
      return endless if fault.kind == :endless

      whole = response.bytes
      count = fault.facts[:bytes] || (fault.kind == :truncate ? whole.bytesize / 2 : 0)
      @socket.write(response.head, whole.byteslice(0, count)) if fault.kind == :truncate || count.positive?
      @socket.flush
      @raw.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, LINGER_AND_RESET) if fault.kind == :reset
      @raw.wait_readable if fault.kind == :stall
      false
    end

    def endless
      @socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
      loop { @socket.write("\0" * CHUNK) } # until the client closes the connection
    end

    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
