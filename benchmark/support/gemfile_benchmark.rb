# frozen_string_literal: true

require "tmpdir"
require "spate"
require "spate/gemfile"
require "spate/gemfile/observation"
require_relative "measure"

module Benchmark
  # Compares a Gemfile with its lockfile, with and without tracing.
  class GemfileBenchmark
    GEMS = (1..150).map { |number| "gem#{number}" }.sort.freeze
    # A Ruby program that only compares the Gemfile and the lockfile, with Bundler alone.
    ALONE = 'require "rubygems"; require "bundler"; Bundler.ui = Bundler::UI::Silent.new; ' \
            "exit!(Bundler.definition.nothing_changed?)"

    def initialize(rounds)
      @rounds = rounds
    end

    def run
      Dir.mktmpdir("spate-gemfile-") do |folder|
        app(folder)
        ways = { "the same child, untraced" => -> { child(&:untraced) }, "traced" => -> { child(&:call) },
                 "Bundler alone" => -> { alone(folder) } }
        ways.each_value(&:call) # unmeasured, to fill the page cache
        samples = ways.transform_values { [] }
        @rounds.times { ways.each { |way, call| samples[way] << measure(&call) } }
        write(samples)
      end
    end

    private

    def write(samples)
      table = Table.new("A Gemfile of #{GEMS.size} gems, #{@rounds} rounds in turn",
                        ["", "wall s: median (min-max)", "of untraced", "CPU s: median (min-max)", "of untraced"])
      samples.each do |way, runs|
        figures = runs.transpose.zip(samples.values.first.transpose).flat_map do |mine, bare|
          [Figures.spread(mine), format("%.3f", Figures.median(mine.zip(bare).map { |one, other| one / other }))]
        end
        table.row(way, *figures)
      end
      table.note("of untraced: the median of each round's own quotient; to reach: 1.15. CPU: of all processes. " \
                 "Bundler alone says only whether nothing changed")
      Table.write("gemfile", [table])
    end

    def app(folder)
      gems = GEMS.map { |name| "gem '#{name}'" }
      File.write("#{folder}/Gemfile", ["source 'https://rubygems.test'", *gems, ""].join("\n"))
      File.write("#{folder}/Gemfile.lock", ["GEM", "  remote: https://rubygems.test/", "  specs:",
                                            *GEMS.map { |name| "    #{name} (1.0)" }, "", "PLATFORMS", "  ruby",
                                            "  #{Gem::Platform.local}", "", "DEPENDENCIES",
                                            *GEMS.map { |name| "  #{name}" }, ""].join("\n"))
      @env = ENV.to_h.reject { |name, _| name.start_with?("BUNDLE", "RUBY") }.merge("HOME" => folder)
      @location = Spate::Gemfile.find(folder, @env)
    end

    def alone(folder)
      env = @env.merge("BUNDLE_GEMFILE" => @location.gemfile)
      system(env, RbConfig.ruby, "--disable-gems", "-e", ALONE, chdir: folder, unsetenv_others: true) or abort "failed"
    end

    # An observation that can also run the child without tracing.
    class PlainObservation < Spate::Gemfile::Observation
      def untraced = run(@location.root, nil)
    end

    def child
      report = yield(PlainObservation.new(@location, @env, :check)).report
      return if report && report[:check].differences.empty? && report[:parts][:check][:volatile].empty?

      abort report.inspect
    end

    # The wall and CPU time of the block, in seconds.
    def measure
      started = [Process.clock_gettime(Process::CLOCK_MONOTONIC), processor]
      yield
      [Process.clock_gettime(Process::CLOCK_MONOTONIC), processor].zip(started).map { |now, before| now - before }
    end

    def processor = Process.times.then { |times| times.utime + times.stime + times.cutime + times.cstime }
  end
end
