# frozen_string_literal: true

require "openssl"
require "socket"
require "timeout"

# HTTP/2 connections that are idle after the exchange of SETTINGS.
class IdleConnections
  PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".b + [0, 0, 0, 4, 0, 0, 0, 0, 0].pack("C*")
  ACKNOWLEDGED = [0, 0, 0, 4, 1, 0, 0, 0, 0].pack("C*")
  SECONDS = 60

  def initialize(port, tls:)
    @port = port
    @context = tls ? context : nil
    @sockets = []
  end

  # Opens `count` connections and waits until the server has acknowledged their SETTINGS.
  def open(count)
    Timeout.timeout(SECONDS) do
      count.times { @sockets << connect }
      @sockets.last(count).each { |socket| exchange_settings(socket) }
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
    socket.write(PREFACE)
    socket
  end

  # Reads frames until the server acknowledges the client's SETTINGS, then acknowledges the server's.
  def exchange_settings(socket)
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
