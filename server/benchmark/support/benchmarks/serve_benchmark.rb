# frozen_string_literal: true

require "fileutils"
require "optparse"
require "tmpdir"
require_relative "../contender"
Dir[File.expand_path("../contenders/*.rb", __dir__)].sort.each { |path| require path }
require_relative "../row"
Dir[File.expand_path("../rows/*.rb", __dir__)].sort.each { |path| require path }
require_relative "../fixtures"
require_relative "../serve_report"

# Runs all rows. In each row, the servers take turns.
class ServeBenchmark
  RESULTS = File.expand_path("../../results/serve.md", __dir__)
  ROWS = [BigFile, BigFileTLS, BigFileHTTP1, SmallFiles, SmallFilesHTTP1, RackHello, RackHelloHTTP1, Idle, IdleTLS,
          Upload].freeze
  TITLE = "Serving: CPU time, rates and memory beside other servers"
  NOTES = [].freeze

  # argv: the command's arguments. out: for the report. err: for progress messages.
  def initialize(argv, out: $stdout, err: $stderr)
    @out = out
    @err = err
    @runs = 5
    @scale = 1.0
    @minutes = 14.0
    @results = self.class::RESULTS
    options.parse!(argv)
  end

  # Returns the exit code: 1 if a measurement of this project's servers failed.
  def run
    Dir.mktmpdir("spate-serve-") do |folder|
      @rows = rows(folder)
      next list if @list

      prepare(folder)
      @deadline = now + (@minutes * 60)
      @rows.each { |row| measure(row) }
    end
    @list ? 0 : report
  end

  private

  def prepare(folder) = Fixtures.new(folder, scale: @scale).make

  def options
    OptionParser.new do |parser|
      parser.banner = "usage: benchmark/serve [options]"
      parser.on("--runs N", Integer, "rounds of each row (5)") { |value| @runs = value }
      parser.on("--only ROW,ROW", Array, "these rows; does not write results") { |value| @only = value }
      parser.on("--servers NAME,NAME", Array, "these servers; does not write results") { |value| @servers = value }
      parser.on("--rows", "list the rows") { @list = true }
      parser.on("--scale F", Float, "factor for the work, such as 0.05; does not write results") do |value|
        @scale = value
      end
      parser.on("--minutes N", Float, "start no further round after N minutes (14)") { |value| @minutes = value }
      parser.on("--results FILE", "file for the results of a full run") { |value| @results = value }
    end
  end

  def rows(folder)
    all = self.class::ROWS.map { |kind| kind.new(folder, scale: @scale, servers: @servers) }
    strange = Array(@only) - all.map(&:key)
    abort "unknown row #{strange.first}, expected one of: #{all.map(&:key).join(", ")}" if strange.any?

    @only ? all.select { |row| @only.include?(row.key) } : all
  end

  def list
    @rows.each { |row| @out.puts format("%<key>-18s %<title>s", key: row.key, title: row.title) }
  end

  def measure(row)
    row.runs(@runs).times do |turn|
      break @late = true if now > @deadline

      started = now
      row.round
      @err.puts "#{row.key}: round #{turn + 1} of #{row.runs(@runs)}, #{(now - started).round(1)} s"
    end
    row.absent.each { |name, reason| @err.puts "#{row.key}: #{name} was not run: #{reason}" }
  end

  def report
    report = ServeReport.new(@rows, title: self.class::TITLE, runs: @runs, versions: versions, notes: self.class::NOTES)
    @out.puts report
    unless whole?
      @err.puts "results not written: #{why_not}"
      return @rows.any? { |row| row.failed.any? } ? 1 : 0
    end
    FileUtils.mkdir_p(File.dirname(@results))
    File.write(@results, report.to_s)
    0
  end

  def whole? = why_not.nil?

  def why_not
    return "the time limit was reached" if @late
    return "this was not a full run" if @only || @servers || @scale < 1

    failed = @rows.select { |row| row.failed.any? }
    "#{failed.first.key}: #{failed.first.failed.first} was not measured" if failed.any?
  end

  def versions
    seen = @rows.flat_map { |row| row.contenders.select { |one| row.figures.key?(one.name) } }
    seen.uniq(&:class).to_h { |one| [one.name[/\A[\w-]+/], one.version] }.compact
  end

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
end
