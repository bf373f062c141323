# frozen_string_literal: true

require "fileutils"
require "open3"
require "socket"
require "tmpdir"

# An external local server for one test. Starts it, waits until it is ready, and kills it by its process ID.
class ServerProgram
  # Time limit for its start, in seconds.
  PATIENCE = 30

  # A port that is not in use.
  def self.free_port
    server = TCPServer.new("127.0.0.1", 0)
    server.addr[1]
  ensure
    server.close
  end

  # The path of a program. It may be missing on PATH, like those in Debian's sbin.
  def self.find(name)
    [*ENV.fetch("PATH").split(":"), "/usr/sbin"].map { |folder| "#{folder}/#{name}" }
                                                .find { |path| File.executable?(path) }
  end

  # The text of a fenced block in a page of docs/. With it, tests use the documented configuration.
  def self.documented(page, language)
    text = File.read(File.expand_path("../../docs/#{page}", __dir__), encoding: "UTF-8")
    text[/^```#{language}\n(.*?)^```$/m, 1] or raise "docs/#{page} has no #{language}"
  end

  attr_reader :port

  def initialize(*command, port:, log:, env: {}, chdir: Dir.pwd)
    @port = port
    @log = log
    @pid = Process.spawn(env, *command, in: File::NULL, %i[out err] => log, chdir: chdir)
    wait
  rescue StandardError
    stop if @pid
    raise
  end

  def url(path = "") = "http://127.0.0.1:#{port}#{path}"

  def stop(signal = :TERM)
    Process.kill(signal, @pid)
    Process.wait(@pid)
  rescue Errno::ESRCH, Errno::ECHILD
    nil # it has exited
  end

  private

  def wait
    deadline = now + PATIENCE
    begin
      TCPSocket.new("127.0.0.1", port).close
    rescue Errno::ECONNREFUSED
      raise "the server ended:\n#{File.read(@log)}" if Process.wait(@pid, Process::WNOHANG)
      raise "the server does not listen:\n#{File.read(@log)}" if now > deadline

      sleep 0.02
      retry
    end
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
