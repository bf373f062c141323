# frozen_string_literal: true

require "socket"
require_relative "process_group"

# The content and the protocol of a row of the benchmark. kind: :files (of `folder`), :hello or :upload (Rack
# applications in `folder`). protocol: "h2" or "http/1.1".
Workload = Struct.new(:kind, :protocol, :tls, :folder, keyword_init: true) do
  def scheme = tls ? "https" : "http"
  def h2? = protocol == "h2"
  def certificate = File.join(folder, "tls", "cert.pem")
  def key = File.join(folder, "tls", "key.pem")
  def files = File.join(folder, "files")
  def rackup = File.join(folder, "#{kind}.ru")
end

# A server to be measured. Subclasses define its name, its command and the workloads it does not support.
class Contender
  # Maximum seconds for a start. A Ruby server with a bundle takes several seconds on a busy machine.
  START = 30

  Failed = Class.new(StandardError)

  attr_reader :port, :group

  def name = self.class.name.downcase

  # The server's version, or nil.
  def version = nil

  # The reason why the server cannot run this workload, or nil.
  def missing(_workload) = nil

  # Returns [environment, argv] for a workload on a port.
  def command(_workload, _port) = raise(NotImplementedError)

  # Starts the server and waits until it accepts connections. Raises Failed.
  def start(workload, log)
    @port = free_port
    @group = ProcessGroup.new(*command(workload, @port), log: log)
    deadline = now + START
    until answering?
      fail_with("ended") unless @group.alive?
      fail_with("does not answer after #{START} s") if now > deadline

      sleep 0.02
    end
  end

  def stop
    @group&.stop
    @group = nil
  end

  def self.program(name)
    ENV.fetch("PATH").split(File::PATH_SEPARATOR).push("/usr/sbin").map { |folder| File.join(folder, name) }
       .find { |path| File.executable?(path) }
  end

  private

  def fail_with(what) = raise(Failed, "#{what}: #{@group.output.lines.last(3).join.strip}")
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def free_port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }

  def answering?
    TCPSocket.open("127.0.0.1", @port).close
    true
  rescue Errno::ECONNREFUSED
    false
  end

  def absent(program) = Contender.program(program) ? nil : "#{program} is not installed"
  def output(*command) = IO.popen([*command, { err: %i[child out] }], &:read).to_s
end
