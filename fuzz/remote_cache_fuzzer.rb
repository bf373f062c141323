# frozen_string_literal: true

# Fuzzes the readers of a team cache's responses: `ruby fuzz/remote_cache_fuzzer.rb [SECONDS [SEED]]`. For any bytes,
# they raise only their own errors, use limited memory and time, and write nothing outside the store. A failing input is
# written to tmp/fuzz and reported in the format of libFuzzer.
$LOAD_PATH.unshift File.expand_path("../lib", __dir__)
require "spate"
require "spate/native/install"
require "find"
require "stringio"
require "time"
require "timeout"
require "zlib"
require_relative "remote_cache/mutation"
require_relative "remote_cache/targets"

# Runs all targets with random mutations.
class RemoteCacheFuzzer
  FOUND = File.expand_path("../tmp/fuzz", __dir__)
  # Limits for the time of one input, and for the growth of the process in megabytes.
  SECONDS = 10
  MEGABYTES = 512
  # Number of inputs between two checks of memory and files.
  SOME = 200

  def initialize(folder, seed)
    @folder = folder
    @random = Random.new(seed)
    @mutation = Mutation.new(@random)
    @targets = Targets.new(Machine.new(folder)).all
    @runs = 0
  end

  # Returns the number of inputs.
  def run(seconds)
    puts "INFO: seed corpus: files: #{@targets.sum { |target| target.seeds.size }}"
    @targets.each { |target| target.seeds.each { |bytes| try(target, bytes) } }
    before = [files, megabytes]
    deadline = now + seconds
    while now < deadline
      SOME.times { (target = @targets.sample(random: @random)) && try(target, @mutation.of(target.seeds)) }
      look(*before)
    end
    @runs
  end

  private

  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  def megabytes = File.read("/proc/self/status")[/VmRSS:\s+(\d+)/, 1].to_i / 1024

  def try(target, bytes)
    @runs += 1
    Timeout.timeout(SECONDS) { target.read.call(bytes.dup) }
  rescue *target.errors
    nil
  rescue StandardError, SystemStackError, NoMemoryError => e
    FileUtils.mkdir_p(FOUND)
    path = "#{FOUND}/remote_cache-#{target.name}-#{Spate::Store.sha256(bytes)[0, 16]}"
    File.binwrite(path, bytes)
    abort "#{target.name}: #{e.class}: #{e.message}\n#{e.backtrace.first(8).join("\n")}\n#{path}"
  end

  # Ignores objects, which stay in the store until they are pruned.
  def files
    found = {}
    Find.find(@folder) do |path|
      Find.prune if path.end_with?("/objects")
      stat = File.lstat(path)
      found[path] = [stat.ftype, stat.mode, (stat.size if stat.file?)]
    end
    found
  end

  def look(files_before, before)
    other = (files.to_a - files_before.to_a) + (files_before.to_a - files.to_a)
    abort "files differ: #{other.first(5).inspect}" if other.any?
    abort "#{megabytes} MB are used, #{before} were before" if megabytes > before + MEGABYTES
  end
end

seconds, seed = ARGV.map(&:to_i)
seed ||= Random.new_seed % 1_000_000
puts "seed #{seed}"
Dir.mktmpdir("spate-fuzz-") do |folder|
  runs = RemoteCacheFuzzer.new(File.realpath(folder), seed).run(seconds || 30)
  puts "stat::number_of_executed_units: #{runs}"
end
