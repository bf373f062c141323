# frozen_string_literal: true

require "open3"
require "fileutils"
require "rbconfig"
require "support/measure"
require "support/bytes_cases"
require "support/bytes_goals"

module Benchmark
  # Runs the cases in turn, each in a separate process.
  class BytesBenchmark
    # Duration of a measurement. It is long enough to neglect the clock and the start of the loop.
    SECONDS = 0.15

    PROGRAM = <<~RUBY
      %<before>s
      clock = -> { Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID) }
      run = lambda do |turns|
        started = clock.call
        i = 0
        while i < turns
          %<turn>s
          i += 1
        end
        clock.call - started
      end
      empty = lambda do |turns|
        started = clock.call
        i = 0
        while i < turns
          i += 1
        end
        clock.call - started
      end
      turns = 10
      turns *= 4 while run.call(turns) < %<seconds>f / 4
      objects = GC.stat(:total_allocated_objects)
      spent = run.call(turns * 4)
      objects = GC.stat(:total_allocated_objects) - objects
      nothing = empty.call(turns * 4)
      puts [(spent - nothing) / (turns * 4) * 1e9, objects.fdiv(turns * 4)].join(" ")
    RUBY

    def initialize(rounds:, only:)
      @rounds = rounds
      @cases = BytesCases.all.select { |each| only.nil? || each.group.include?(only) }
    end

    def run
      samples = Hash.new { |hash, key| hash[key] = [] }
      @rounds.times { |round| @cases.each { |each| measure(each, samples, round) } }
      tables = @cases.group_by(&:group).map { |group, cases| table(group, cases, samples) }
      Table.write("bytes", tables, results: File.expand_path("../results", __dir__))
    end

    private

    def measure(each, samples, round)
      return if samples[each] == :missing

      program = format(PROGRAM, before: each.before, turn: each.turn, seconds: SECONDS)
      out, error, status = Open3.capture3(RbConfig.ruby, "-W0", "--disable-gems", "-I#{lib}", *peers, "-e", program)
      unless status.success?
        raise "#{each.name}: #{error}" if each.before.include?("spate") || round.positive?

        warn "left out: #{each.name}: #{error.lines.first}"
        return samples[each] = :missing
      end
      nanoseconds, objects = out.split.map { |number| Float(number) }
      samples[each] << [nanoseconds / each.operations, objects]
    end

    def lib = File.expand_path("../../lib", __dir__)

    # Returns the load paths of the gem arraybuffer. Installs the gem at the first call.
    def peers
      @peers ||= begin
        folder = File.expand_path("../../../tmp/benchmark-bytes", __dir__)
        unless File.directory?("#{folder}/gems/arraybuffer-0.0.7")
          system(Gem.ruby, "-S", "gem", "install", "arraybuffer", "-v", "0.0.7", "--no-document", "-i", folder,
                 out: File::NULL, err: File::NULL)
        end
        ["-I#{folder}/gems/arraybuffer-0.0.7/lib",
         *Dir["#{folder}/extensions/*/*/arraybuffer-0.0.7"].map { |path| "-I#{path}" }]
      end
    end

    def table(group, cases, samples)
      first = cases.find { |each| samples[each] != :missing }
      table = Table.new(group, ["", "ns: median (min-max)", "objects", "to the first", "goal"])
      goals = goals(cases, samples)
      cases.each do |each|
        next table.row(each.name, "cannot be run here", "", "", "") if samples[each] == :missing

        times = samples[each].map(&:first)
        ratio = samples[each].zip(samples[first]).map { |own, other| own.first / other.first }
        table.row(each.name, format("%.1f (%.1f-%.1f)", Figures.median(times), *times.minmax),
                  format("%.2f", Figures.median(samples[each].map(&:last))), format("%.2fx", Figures.median(ratio)),
                  goals.cell(each))
      end
      table
    end

    def goals(cases, samples)
      run = cases.reject { |each| samples[each] == :missing }
      medians = [0, 1].map { |i| run.to_h { |each| [each, Figures.median(samples[each].map { |row| row[i] })] } }
      BytesGoals.new(cases, *medians)
    end
  end
end
