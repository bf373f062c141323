# frozen_string_literal: true

require "etc"
require "fileutils"
require "optparse"
require "tmpdir"

ROOT = File.expand_path("../../../..", __dir__)
$LOAD_PATH.unshift File.join(ROOT, "server/lib"), File.join(ROOT, "bytes/lib")
require "spate/server"
require_relative "../clients"
require_relative "../figures"
require_relative "../framing_way"

# Compares the cost of one download with three implementations of framing, and profiles each.
class FramingBenchmark
  RESULTS = File.expand_path("../../results", __dir__)
  PAGES = File.join(ROOT, "tmp/framing")
  HEADINGS = ["frames", "MB/s", "CPU s/GB", "objects made per MB", "collections per GB", "where its time goes"].freeze

  def initialize(argv, out: $stdout, err: $stderr)
    @out = out
    @err = err
    @runs = 3
    @megabytes = 32
    @results = RESULTS
    OptionParser.new do |parser|
      parser.on("--runs N", Integer) { |value| @runs = value }
      parser.on("--megabytes N", Integer, "size of the file; writes no results below 32") { |value| @megabytes = value }
      parser.on("--results FOLDER") { |value| @results = value }
    end.parse!(argv)
  end

  def run
    Dir.mktmpdir("spate-framing-") do |folder|
      @workload = Workload.new(kind: :files, protocol: "h2", tls: false, folder: folder)
      fill
      @ways = FramingWay.all
      @figures = @ways.to_h { |way| [way.key, { rate: [], cost: [] }] }
      @runs.times { @ways.each { |way| measure(way) } }
      @recordings = @ways.to_h { |way| [way.key, record(way)] }
    end
    report
    0
  end

  private

  def fill
    FileUtils.mkdir_p(@workload.files)
    block = Random.new(1).bytes(1 << 20)
    File.open(File.join(@workload.files, "big.bin"), "wb") { |file| @megabytes.times { file.write(block) } }
  end

  def serving(way)
    way.start(@workload, File.join(@workload.folder, "log"))
    yield
  ensure
    way.stop
  end

  def download(way, times)
    times.times { Clients.download(way.url, @workload, @megabytes << 20) }
  end

  def measure(way)
    serving(way) do
      download(way, 1) if way.times > 1
      before = way.group.seconds
      started = now
      download(way, way.times)
      megabytes = way.times * @megabytes
      @figures[way.key][:rate] << (megabytes / (now - started))
      @figures[way.key][:cost] << ((way.group.seconds - before) * 1024 / megabytes)
    end
    @err.puts "#{way.title}: #{@figures[way.key].map { |name, values| "#{name} #{Figures.text(values)}" }.join(", ")}"
  end

  # Profiles further downloads, which are not part of the measured time.
  def record(way)
    serving(way) do
      sleep 0.5 # another thread installs the signal handler when the port is open
      way.signal
      sleep 0.2
      download(way, way.profiled)
      way.signal
      sleep 0.05 until (path = Dir[way.profile(@workload)].first) && File.size?(path)
      sleep 0.2
      relative(JSON.parse(File.read(path)))
    end
  end

  # Removes paths of this machine from the profile.
  def relative(output)
    output["frames"].each_value { |frame| frame["file"] = frame["file"].delete_prefix("#{ROOT}/") }
    output["metadata"]["spate"].update("command" => nil, "pid" => nil)
    Spate::Server::Profile::Recording.of(output, "profile")
  end

  def report
    text = [title, table].join("\n\n")
    @out.puts text
    write_pages
    return @err.puts("results not written: fewer than 32 MB") if @megabytes < 32

    FileUtils.mkdir_p(@results)
    File.write(File.join(@results, "framing.md"), "#{text}\n")
  end

  # Writes the HTML pages of the profiles. They are not stored with the results, because they consist mostly of code.
  def write_pages
    FileUtils.mkdir_p(PAGES)
    @recordings.each do |key, recording|
      path = File.join(PAGES, "#{key}.html")
      File.write(path, Spate::Server::Profile::Page.new(recording).to_s)
      @out.puts path
    end
  end

  def title
    "# One download with three implementations of framing\n\n" \
      "#{Time.now.utc.strftime("%Y-%m-%d")}; a file of #{@megabytes} MB over HTTP/2 in clear text to curl, 1, 6 and " \
      "24 times; #{@runs} alternating runs, median (min–max); #{RUBY_DESCRIPTION}; #{Etc.nprocessors} processors " \
      "shared with the client. Objects, collections and the five methods with the most own time are from a further " \
      "run with stackprof."
  end

  def table
    lines = @ways.map { |way| cells(way) }
    [HEADINGS, HEADINGS.map { "---" }, *lines].map { |cells| "| #{cells.join(" | ")} |" }.join("\n")
  end

  def cells(way)
    figures = @figures[way.key]
    recording = @recordings[way.key]
    megabytes = (way.profiled * @megabytes).to_f
    gc = recording.facts["gc"]
    top = recording.top(5)
    [way.title, Figures.text(figures[:rate]), Figures.text(figures[:cost]), Figures.round(gc["objects"] / megabytes),
     Figures.round(gc["runs"] * 1024 / megabytes),
     top.map { |row| "#{row.name} #{(row.own * 100).round} %" }.join("<br>")]
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
