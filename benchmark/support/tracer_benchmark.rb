# frozen_string_literal: true

require "etc"
require "fileutils"
require "rubygems/package"
require "tmpdir"
require "spate/tracer"
require_relative "measure"

module Benchmark
  # Builds extensions with and without tracing.
  class TracerBenchmark
    # way => options for the tracer, or nil for no tracing.
    WAYS = { "bare" => nil, "hooks and filter" => {}, "filter alone" => { hooks: false } }.freeze
    # Wall and CPU time in seconds (including the listener thread of this process), the number of calls that the tracer
    # was notified of, and of traced paths.
    Run = Struct.new(:wall, :cpu, :asked, :paths)

    def initialize(gems, rounds:)
      @gems = gems
      @rounds = rounds
    end

    def run
      abort Spate::Tracer.available? unless Spate::Tracer.available? == true

      table = Table.new("extconf.rb and make -j#{Etc.nprocessors}, #{@rounds} rounds in turn",
                        ["gem", "", "wall s: median (min-max)", "of bare", "CPU s: median (min-max)", "of bare",
                         "calls that asked", "paths"])
      @gems.each { |gem| rows(table, gem) }
      table.note("of bare: the median of each round's own quotient")
      table.note("CPU: of all processes, with the thread that answers")
      Table.write("tracer", [table])
    end

    private

    def rows(table, gem)
      runs = in_turn(gem)
      runs.each do |way, samples|
        last = samples.last
        table.row(File.basename(gem, ".gem"), way,
                  Figures.spread(samples.map(&:wall)), quotient(samples, runs["bare"], :wall),
                  Figures.spread(samples.map(&:cpu)), quotient(samples, runs["bare"], :cpu), last.asked, last.paths)
      end
    end

    def quotient(samples, bare, figure)
      quotients = samples.zip(bare).map { |sample, other| sample[figure] / other[figure] }
      format("%.3f", Figures.median(quotients))
    end

    def in_turn(gem)
      Dir.mktmpdir("spate-tracer-") do |folder|
        Gem::Package.new(gem).extract_files("#{folder}/gem")
        build(folder, nil) # unmeasured, to fill the page cache
        runs = WAYS.keys.to_h { |way| [way, []] }
        @rounds.times { WAYS.each { |way, options| runs[way] << build(folder, options) } }
        runs
      end
    end

    def build(folder, options)
      FileUtils.rm_rf("#{folder}/tree")
      FileUtils.cp_r("#{folder}/gem", "#{folder}/tree")
      extconf = Dir["#{folder}/tree/ext/**/extconf.rb"].min
      script = "cd #{File.dirname(extconf)} && #{RbConfig.ruby} extconf.rb && make -j#{Etc.nprocessors}"
      measure { options ? trace(script, folder, options) : (system("sh", "-c", script, out: File::NULL) && nil) }
    end

    def trace(script, folder, options)
      trace = Spate::Tracer.trace(ignore: ["#{folder}/tree"], **options) do |tracer|
        system(tracer.environment, *tracer.command("sh", "-c", script), out: File::NULL,
                                                                        **tracer.options) or abort "failed"
      end
      abort trace.trouble.inspect unless trace.trouble.empty?
      trace
    end

    def measure
      started = [Process.clock_gettime(Process::CLOCK_MONOTONIC), processor]
      trace = yield
      Run.new(Process.clock_gettime(Process::CLOCK_MONOTONIC) - started[0], processor - started[1],
              trace&.asked, trace&.paths&.size)
    end

    def processor = Process.times.then { |times| times.utime + times.stime + times.cutime + times.cstime }
  end
end
