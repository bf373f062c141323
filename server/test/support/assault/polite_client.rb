# frozen_string_literal: true

# A well-behaved client: polite_client.rb PORT. Sends requests continuously, each on a new connection. For each line of
# stdin, prints the number of requests since the last line with and without a response, and the longest duration. At
# least one of them began after the line.

require "socket"

GREETING = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".b + [0, 0, 4, 0, 0].pack("CnCCN")
REQUEST = [0, 3, 1, 5, 1].pack("CnCCN") + "\x82\x86\x84".b
SECONDS = 5

port = Integer(ARGV.fetch(0))

# Returns the seconds until the last frame of the response, or SECONDS if it did not arrive.
def ask(port)
  started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  TCPSocket.open("127.0.0.1", port) do |socket|
    socket.write(GREETING + REQUEST)
    loop do
      header = wait(socket, 9, started) or return SECONDS
      length = header.unpack1("N") >> 8
      wait(socket, length, started) or return SECONDS
      if header.getbyte(3).zero? && header.getbyte(4).odd?
        return Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
      end
    end
  end
rescue SystemCallError
  SECONDS
end

def wait(socket, length, started)
  bytes = +""
  while bytes.bytesize < length
    left = SECONDS - (Process.clock_gettime(Process::CLOCK_MONOTONIC) - started)
    return unless left.positive? && socket.wait_readable(left)

    part = socket.read_nonblock(length - bytes.bytesize, exception: false) or return
    bytes << part unless part == :wait_readable
  end
  bytes
end

require "io/wait"
times = []
loop do
  times << ask(port)
  next unless $stdin.wait_readable(0.005)
  break unless $stdin.gets

  times << ask(port)
  unserved = times.count { |seconds| seconds >= SECONDS }
  $stdout.puts [times.size - unserved, unserved, times.max].join(" ")
  $stdout.flush
  times.clear
end
