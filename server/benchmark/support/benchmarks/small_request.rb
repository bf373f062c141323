# frozen_string_literal: true

require "etc"
require "fileutils"
require "optparse"
require "tmpdir"

ROOT = File.expand_path("../../../..", __dir__)
$LOAD_PATH.unshift File.join(ROOT, "server/lib"), File.join(ROOT, "bytes/lib")
require "spate/server"
require_relative "../clients"
require_relative "../contender"
require_relative "../figures"
require_relative "../gem_peers"
require_relative "../parts"

# Breaks down the CPU time of a request for a small file. The time per method comes from a stackprof profile. The number
# of system calls comes from `strace -c`, whose times are inaccurate.
class SmallRequest
  RESULTS = File.expand_path("../../results/small-request.md", __dir__)
  SERVE = File.expand_path("../../../exe/spate-serve", __dir__)

  # spate-serve with profiling, optionally under strace.
  class Server < Contender
    def initialize(wrapper, profile)
      super()
      @wrapper = wrapper
      @profile = profile
    end

    def name = "spate-serve"

    def command(workload, port)
      profiling = ["--profile-on-signal", @profile, "--profiler", "stackprof"]
      [GemPeers.stackprof, [*@wrapper, RbConfig.ruby, SERVE, workload.files, "--port", port.to_s, *profiling]]
    end
  end

  def initialize(argv, out: $stdout, err: $stderr)
    @out = out
    @err = err
    @requests = 100_000
    @results = RESULTS
    OptionParser.new do |parser|
      parser.on("--requests N", Integer, "writes no results below 100,000") { |value| @requests = value }
      parser.on("--results FILE") { |value| @results = value }
    end.parse!(argv)
  end

  def run
    Dir.mktmpdir("spate-small-") do |folder|
      @workload = Workload.new(kind: :files, protocol: "h2", tls: false, folder: folder)
      FileUtils.mkdir_p(@workload.files)
      path = File.join(@workload.files, "small.txt")
      File.write(path, "hello\n" * 100)
      sleep 2.5 # servers do not cache files that changed just now
      profile(folder)
      @calls = Contender.program("strace") ? count_calls(folder) : nil
    end
    report
    0
  end

  private

  def serving(wrapper, folder)
    server = Server.new(wrapper, File.join(folder, "small.json"))
    server.start(@workload, File.join(folder, "log"))
    sleep 0.5
    yield server
  ensure
    server.stop
  end

  def requests(server, count)
    Clients.requests("http://127.0.0.1:#{server.port}/small.txt", @workload, count)
  end

  def profile(folder)
    serving([], folder) do |server|
      requests(server, @requests / 10)
      Process.kill(:URG, server.group.pid)
      sleep 0.3
      before = server.group.seconds
      requests(server, @requests)
      @cpu = server.group.seconds - before
      Process.kill(:URG, server.group.pid)
      sleep 0.5
      path = Dir[File.join(folder, "small-*.json")].first or raise "no profile was written"
      @recording = Spate::Server::Profile::Recording.read(path)
    end
  end

  # System calls per request: the difference between a long and a short run.
  def count_calls(folder)
    few, many = [2000, 2000 + (@requests / 10)].map { |count| calls(folder, count) }
    difference = (many.keys | few.keys).to_h { |name| [name, (many[name] - few[name]) / (@requests / 10.0)] }
    difference.select { |_, count| count >= 0.001 }.sort_by { |_, count| -count }
  end

  def calls(folder, count)
    summary = File.join(folder, "strace-#{count}")
    serving(["strace", "-f", "-c", "-o", summary], folder) { |server| requests(server, count) }
    lines = File.readlines(summary).map(&:split)
    found = lines.select { |words| words.size >= 5 && words[3].match?(/\A\d+\z/) && words.last != "total" }
    Hash.new(0).merge(found.to_h { |words| [words.last, words[3].to_i] })
  end

  def report
    text = [title, parts, methods, system_calls].compact.join("\n\n")
    @out.puts text
    return @err.puts("results not written: fewer than 100,000 requests") if @requests < 100_000

    FileUtils.mkdir_p(File.dirname(@results))
    File.write(@results, "#{text}\n")
  end

  def title
    "# Where the CPU time of a small request goes\n\n" \
      "#{Time.now.utc.strftime("%Y-%m-%d")}; #{@requests} requests for a file of 600 bytes, HTTP/2, " \
      "10 connections with 10 streams each; #{RUBY_DESCRIPTION}; #{Etc.nprocessors} processors shared with the " \
      "client. " \
      "#{Figures.round(@cpu * 100_000 / @requests)} CPU s per 100,000 requests with the profiler running, which made " \
      "#{@recording.samples} samples; #{Figures.round(@recording.facts["gc"]["objects"] / @requests.to_f)} objects " \
      "a request."
  end

  def parts
    sums = Parts.new(@recording).sums
    whole = @recording.total.to_f
    rows = sums.map { |name, time| [name, share(time / whole), Figures.round(time * 100_000.0 / @requests / 1e6, 2)] }
    ["## By part of the server", "Own time of methods, each counted for the part whose method called it last.",
     table(["part", "share", "CPU s per 100,000"], rows)].join("\n\n")
  end

  def methods
    rows = @recording.top(15).map do |row|
      [row.name, share(row.own), share(row.total)]
    end
    "## By method\n\n#{table(%w[method own total], rows)}"
  end

  def system_calls
    return "System calls were not counted: strace is not installed." unless @calls

    rows = @calls.map { |name, count| [name, Figures.round(count, 2)] }
    "## System calls a request\n\n#{table(%w[call times], rows)}"
  end

  def share(value) = format("%.1f %%", value * 100)

  def table(names, lines)
    [names, names.map { "---" }, *lines].map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
  end
end
