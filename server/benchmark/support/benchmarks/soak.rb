# frozen_string_literal: true

require "rbconfig"
require "socket"
require "timeout"
require "tmpdir"

# Puts a server under load and measures it twenty times.
class Soak
  COMMAND = [RbConfig.ruby, File.expand_path("../../../exe/spate-serve", __dir__)].freeze
  ROWS = 20
  # [options of h2load, file]. The time of a row is divided among the phases.
  PHASES = [[%w[-c 10 -m 20], "small.txt"], [%w[-c 4 -m 4], "large.bin"], [%w[-c 100 -m 1], "small.txt"]].freeze
  # Maximum growth of memory from the first quarter's peak to the last row.
  MOST_GROWTH = 0.1
  # Seconds within which the server must close the connections of a client that has ended.
  CLOSING = 5

  def initialize(seconds)
    @row_seconds = [seconds.to_f / ROWS, PHASES.size].max
    @rows = [seconds / @row_seconds, 2].max.to_i
  end

  def run
    Dir.mktmpdir("spate-soak-") do |folder|
      File.write(File.join(folder, "small.txt"), "hello\n" * 100)
      File.binwrite(File.join(folder, "large.bin"), Random.new(1).bytes(8 << 20))
      serve(folder) { watch }
    end
  end

  private

  def serve(folder)
    @port = TCPServer.open("127.0.0.1", 0) { |server| server.local_address.ip_port }
    @pid = Process.spawn(*COMMAND, folder, "--port", @port.to_s, %i[out err] => File::NULL)
    Timeout.timeout(10) { sleep 0.05 until answering? }
    yield
  ensure
    Process.kill(:TERM, @pid)
    Process.wait(@pid)
  end

  def answering?
    TCPSocket.open("127.0.0.1", @port).close
    true
  rescue Errno::ECONNREFUSED
    false
  end

  def watch
    puts "| seconds | requests | failed | memory MB | descriptors | threads | CPU s |", "|---|---|---|---|---|---|---|"
    $stdout.flush
    @idle = descriptors
    @started = now
    verdict(Array.new(@rows) { row })
  end

  # Returns [MB, descriptors, threads]. Descriptors and threads are counted after the row's clients have ended.
  def row
    counts = PHASES.map { |options, path| load(options, path) }
    size = memory
    quiet
    @failed ||= counts.any? { |done, failed| done.zero? || failed.positive? }
    puts format("| %<at>d | %<done>d | %<failed>d | %<memory>.1f | %<open>d | %<threads>d | %<cpu>.1f |",
                at: now - @started, done: counts.sum(&:first), failed: counts.sum(&:last), memory: size,
                open: descriptors, threads: threads, cpu: seconds)
    $stdout.flush
    [size, descriptors, threads]
  end

  def quiet
    limit = now + CLOSING
    sleep 0.05 until descriptors <= @idle || now > limit
  end

  # Compares the last row with the first quarter's peak.
  def verdict(rows)
    flat = %w[MB descriptors threads].zip(rows.transpose, [MOST_GROWTH, 0, 0]).map do |name, values, growth|
      before = values.first([values.size / 4, 1].max).max
      level = values.last <= before * (1 + growth)
      puts format("%.4g %s in the first quarter, %.4g at the end: %s", before, name, values.last,
                  level ? "flat" : "growing")
      level
    end
    flat.all? && !@failed ? 0 : 1
  end

  def descriptors = processes.sum { |pid| Dir["/proc/#{pid}/fd/*"].size }
  def threads = processes.sum { |pid| Dir["/proc/#{pid}/task/*"].size }

  # Returns the numbers of requests as [succeeded, failed].
  def load(options, path)
    command = ["h2load", "-D", (@row_seconds / PHASES.size).ceil.to_s, *options, "http://127.0.0.1:#{@port}/#{path}"]
    output = IO.popen(command, err: File::NULL, &:read)
    counts = output.match(/(\d+) succeeded, (\d+) failed, (\d+) errored/) or abort "h2load: #{output}"
    [counts[1].to_i, counts[2].to_i + counts[3].to_i]
  end

  # Resident memory of all processes of the server, in MB.
  def memory = processes.sum { |pid| File.read("/proc/#{pid}/status")[/VmRSS:\s+(\d+)/, 1].to_i } / 1024.0

  def seconds
    ticks = processes.sum { |pid| File.read("/proc/#{pid}/stat").split(") ").last.split[11, 2].sum(&:to_i) }
    ticks / Float(`getconf CLK_TCK`)
  end

  def processes
    [@pid, *Dir["/proc/#{@pid}/task/*/children"].flat_map { |path| File.read(path).split.map(&:to_i) }]
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
