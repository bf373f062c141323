# frozen_string_literal: true

require "etc"
require "fileutils"
require "optparse"
require "tmpdir"

# Runs the contenders in turns, several times, and prints medians with their spread.
class ServeBenchmark
  RESULTS = File.expand_path("../results/serve.md", __dir__)
  HEADINGS = ["server", "big file MB/s", "CPU s/GB", "small requests/s", "CPU s per 100,000", "peak MB"].freeze

  def initialize(argv)
    @runs = 5
    @megabytes = 256
    @requests = 20_000
    OptionParser.new do |parser|
      parser.on("--runs N", Integer) { |value| @runs = value }
      parser.on("--megabytes N", Integer) { |value| @megabytes = value }
      parser.on("--requests N", Integer) { |value| @requests = value }
    end.parse!(argv)
  end

  def run
    Dir.mktmpdir("spate-serve-") do |folder|
      fill(folder)
      @figures = Hash.new { |hash, name| hash[name] = Hash.new { |row, column| row[column] = [] } }
      contenders, @absent = Contender.all(folder).partition { |contender| contender.missing.nil? }
      @runs.times { contenders.each { |contender| measure(contender, folder) } }
    end
    report
    0
  end

  private

  def fill(folder)
    block = Random.new(1).bytes(1 << 20)
    File.open(File.join(folder, "big.bin"), "wb") { |file| @megabytes.times { file.write(block) } }
    File.write(File.join(folder, "small.txt"), "hello\n" * 100)
  end

  # A server of its own for each round; one download before counts for nothing.
  def measure(contender, folder)
    contender.start
    download(contender, folder)
    big(contender, folder)
    small(contender)
    @figures[contender.name][:memory] << contender.memory / 1024.0
  ensure
    contender.stop
  end

  def big(contender, folder)
    cpu, wall = cost(contender) { download(contender, folder) }
    row = @figures[contender.name]
    row[:rate] << @megabytes / wall
    row[:big] << cpu * 1024 / @megabytes
  end

  # The client's count proves that all of it came.
  def download(contender, folder)
    size = client("curl", "-sS", "--http2-prior-knowledge", "-o", File::NULL, "-w", "%{http_version} %{size_download}",
                  "http://127.0.0.1:#{contender.port}/big.bin")
    expected = "2 #{File.size(File.join(folder, "big.bin"))}"
    abort "#{contender.name}: #{expected} was expected, #{size} came" if size != expected
  end

  def small(contender)
    cpu, wall = cost(contender) do
      told = client("h2load", "-n", @requests.to_s, "-c", "10", "-m", "10",
                    "http://127.0.0.1:#{contender.port}/small.txt")
      abort "#{contender.name}: #{told}" unless told.include?("#{@requests} succeeded")
    end
    row = @figures[contender.name]
    row[:requests] << @requests / wall
    row[:small] << cpu * 100_000 / @requests
  end

  def cost(contender)
    cpu = contender.seconds
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    yield
    [contender.seconds - cpu, Process.clock_gettime(Process::CLOCK_MONOTONIC) - started]
  end

  def client(*command) = IO.popen(command, &:read)

  def report
    lines = [HEADINGS, HEADINGS.map { "---" }, *@figures.map { |name, row| cells(name, row) }]
    text = lines.map { |cells| "| #{cells.join(" | ")} |\n" }.join
    @absent.each { |contender| text << "\n#{contender.name} was not run: #{contender.missing}\n" }
    puts text
    FileUtils.mkdir_p(File.dirname(RESULTS))
    title = "# Serving a file of #{@megabytes} MB, and a small one #{@requests} times"
    File.write(RESULTS, "#{title}\n\n#{text}\n#{circumstances}\n")
  end

  def cells(name, row)
    [name, figure(row[:rate], 0), figure(row[:big], 2), figure(row[:requests], 0), figure(row[:small], 2),
     figure(row[:memory], 0)]
  end

  # "median (least–most)"
  def figure(values, digits)
    sorted = values.sort
    middle, least, most = [sorted[sorted.size / 2], sorted.first, sorted.last].map { |value| value.round(digits) }
    "#{middle} (#{least}–#{most})"
  end

  def circumstances
    "#{@runs} runs in turns; #{RUBY_DESCRIPTION}; #{Etc.nprocessors} processors shared with the client; " \
      "median (least–most)."
  end
end
