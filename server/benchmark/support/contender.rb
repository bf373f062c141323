# frozen_string_literal: true

require "rbconfig"
require "socket"
require "timeout"

# A server under measurement: a process, its port, and what it took.
class Contender
  TICKS = Float(`getconf CLK_TCK`)

  attr_reader :name, :port

  def initialize(name, &command)
    @name = name
    @command = command
  end

  def self.all(folder)
    spate = File.expand_path("../../exe/spate-serve", __dir__)
    [new("spate-serve") { |port| [RbConfig.ruby, spate, folder, "--port", port.to_s] },
     new("nghttpd") { |port| ["nghttpd", "--no-tls", "-d", folder, port.to_s] }]
  end

  # nil, or why it cannot be run here.
  def missing
    program = @command.call(0).first
    return if program.include?("/") || ENV["PATH"].split(":").any? { |path| File.executable?(File.join(path, program)) }

    "#{program} is not installed"
  end

  def start
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
    @pid = Process.spawn(*@command.call(@port), %i[out err] => File::NULL)
    Timeout.timeout(10) { sleep 0.02 until answering? }
  end

  # The server's CPU seconds, of all its threads, so far.
  def seconds
    fields = File.read("/proc/#{@pid}/stat").split(") ").last.split
    fields[11, 2].sum(&:to_i) / TICKS
  end

  # Kilobytes, at the most.
  def memory = File.read("/proc/#{@pid}/status")[/VmHWM:\s+(\d+)/, 1].to_i

  def stop
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  end

  private

  def answering?
    TCPSocket.open("127.0.0.1", @port).close
    true
  rescue Errno::ECONNREFUSED
    false
  end
end
