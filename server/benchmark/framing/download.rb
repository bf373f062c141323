# frozen_string_literal: true

require "io/wait"
require "socket"

$LOAD_PATH.unshift File.expand_path("../../lib", __dir__), File.expand_path("../../../bytes/lib", __dir__)
require "spate/server"

# A minimal HTTP/2 server for downloads with curl. It responds to every request with the same file. frames: an object
# with `read(socket)`, which returns [type, flags, stream, payload], `write(socket, type, flags, stream, payload)` and
# `write_file(socket, stream, file, count, last)`.
class Download
  PREFACE = 24
  DATA, HEADERS, RST_STREAM, SETTINGS, PING, WINDOW_UPDATE = 0, 1, 3, 4, 6, 8
  END_STREAM = ACKNOWLEDGED = 1
  END_HEADERS = 4
  INITIAL_WINDOW_SIZE = 4
  FRAME = 16_384
  STATUS_200 = "\x88".b.freeze # ":status: 200" in the static table (RFC 7541, appendix A)

  # ruby PROGRAM PORT FILE PROFILE
  def self.serve(frames)
    port, path, profile = ARGV
    Spate::Server::Profile::Signals.install(profile, profiler: "stackprof")
    listener = TCPServer.new("127.0.0.1", Integer(port))
    loop { new(listener.accept, path, frames).run }
  end

  def initialize(socket, path, frames)
    @socket = socket
    @path = path
    @frames = frames
    @window = @stream_window = @initial = 65_535
  end

  def run
    @socket.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_NODELAY, true)
    @socket.read(PREFACE)
    @frames.write(@socket, SETTINGS, 0, 0, [])
    receive until @socket.closed?
  rescue IOError, SystemCallError
    nil # the client closed the connection
  ensure
    @socket.close
  end

  private

  def receive
    type, flags, stream, payload = @frames.read(@socket)
    case type
    when nil then @socket.close
    when HEADERS then answer(stream)
    when SETTINGS then settings(payload) if (flags & ACKNOWLEDGED).zero?
    when WINDOW_UPDATE then stream.zero? ? @window += number(payload) : @stream_window += number(payload)
    when PING then @frames.write(@socket, PING, ACKNOWLEDGED, 0, payload)
    end
  end

  def number(bytes) = bytes.last(4).inject { |sum, byte| (sum << 8) | byte }

  def settings(payload)
    payload.each_slice(6) { |one| @initial = @stream_window = number(one) if one[1] == INITIAL_WINDOW_SIZE }
    @frames.write(@socket, SETTINGS, ACKNOWLEDGED, 0, [])
  end

  def answer(stream)
    @stream_window = @initial
    @frames.write(@socket, HEADERS, END_HEADERS, stream, STATUS_200.bytes)
    File.open(@path, "rb") { |file| send_file(stream, file) }
  end

  # Sends the file within the peer's windows. Processes received frames between two sent frames.
  def send_file(stream, file)
    left = file.size
    while left.positive?
      count = [FRAME, left, @window, @stream_window].min
      receive while @socket.wait_readable(count.positive? ? 0 : nil)
      next unless count.positive?

      left -= count
      @window -= count
      @stream_window -= count
      @frames.write_file(@socket, stream, file, count, left.zero?)
    end
  end
end
