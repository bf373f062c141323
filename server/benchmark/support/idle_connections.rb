# frozen_string_literal: true

require "openssl"
require "socket"
require "timeout"

# Connections of HTTP/2 that said hello, got the server's hello, and then say nothing.
class IdleConnections
  HELLO = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".b + [0, 0, 0, 4, 0, 0, 0, 0, 0].pack("C*")
  ACKNOWLEDGED = [0, 0, 0, 4, 1, 0, 0, 0, 0].pack("C*")
  SECONDS = 60

  def initialize(port, tls:)
    @port = port
    @context = tls ? context : nil
    @sockets = []
  end

  # Opens so many, and waits for the server's answer to each: its SETTINGS and the acknowledgement of ours.
  def open(count)
    Timeout.timeout(SECONDS) do
      count.times { @sockets << connect }
      @sockets.last(count).each { |socket| greeted(socket) }
    end
  end

  def close
    @sockets.each(&:close)
    @sockets.clear
  end

  private

  def context
    OpenSSL::SSL::SSLContext.new.tap do |made|
      made.verify_mode = OpenSSL::SSL::VERIFY_NONE
      made.alpn_protocols = ["h2"]
    end
  end

  def connect
    socket = TCPSocket.new("127.0.0.1", @port)
    if @context
      socket = OpenSSL::SSL::SSLSocket.new(socket, @context)
      socket.sync_close = true
      socket.connect
    end
    socket.write(HELLO)
    socket
  end

  # Frames until ours is acknowledged; then theirs is, and nothing is left to do.
  def greeted(socket)
    loop do
      length, type, flags = frame(socket)
      socket.read(length) if length.positive?
      break if type == 4 && flags == 1
    end
    socket.write(ACKNOWLEDGED)
  end

  def frame(socket)
    head = socket.read(9) or raise EOFError, "the server closed an idle connection"
    high, low, type, flags = head.unpack("CnCC")
    [(high << 16) | low, type, flags]
  end
end
