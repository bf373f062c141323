# frozen_string_literal: true

require "support/measure"

module Benchmark
  # One way to boot an application, and the measured samples.
  #
  #   name     the row's title in the table
  #   app      BootApp
  #   command  ["/x/bin/spate", "exec", "bin/rails", ...]
  #   env      {"SPATE_HEAP" => "0", ...}, added to the application's variables
  #   before   called before each run, not measured; or nil
  #   proof    lambda(facts) that returns nil if the run is valid, otherwise a description of the problem
  class BootRow
    # wall and cpu in seconds, memory (largest resident set) in KiB; facts: see boot_probe.rb.
    Sample = Struct.new(:wall, :cpu, :memory, :facts)

    PROBE = File.expand_path("boot_probe.rb", __dir__)

    attr_reader :name, :app, :samples

    def initialize(name, app, command, env: {}, before: nil, proof: nil)
      @name = name
      @app = app
      @command = command
      @env = env
      @before = before
      @proof = proof
      @samples = []
    end

    # Runs once and returns the sample. Raises an error if the boot fails.
    def sample
      @before&.call
      facts = "#{app.home}/facts"
      File.unlink(facts) if File.exist?(facts)
      wall, cpu = timed(app.env(@env.merge("BOOT_FACTS" => facts)))
      found = File.exist?(facts) ? Marshal.load(File.binread(facts)) : {} # rubocop:disable Security/MarshalLoad
      Sample.new(wall, cpu, found[:memory].to_i, found)
    end

    # Runs once, checks the run with @proof and records the sample. The first runs use #sample: they only fill caches.
    def measure
      taken = sample
      wrong = @proof&.call(taken.facts)
      raise "#{name}: #{wrong}: #{taken.facts}" if wrong

      @samples << taken
    end

    def median(what = :wall) = Figures.median(samples.map(&what))

    private

    def timed(env)
      log = "#{app.home}/output"
      before = Process.times
      started = now
      ok = system(env, *@command, chdir: app.folder, in: File::NULL, out: log, err: %i[child out])
      wall = now - started
      raise "#{name}: #{@command.join(" ")} failed:\n#{File.read(log)[0, 4000]}" unless ok

      [wall, children(Process.times) - children(before)]
    end

    def children(times) = times.cutime + times.cstime
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end

  # Runs rows in turn. Every other round is in reverse order, so that a row does not always follow the same one.
  module Rounds
    module_function

    def run(rows, rounds)
      rounds.times { |round| (round.even? ? rows : rows.reverse).each(&:measure) }
      rows
    end

    # Compares two rows: [median, lower quartile, upper quartile] of the ratios within each round.
    def ratio(row, base, what = :wall)
      ratios = row.samples.zip(base.samples).map { |one, other| one[what] / other[what].to_f }.sort
      [Figures.median(ratios), ratios[ratios.length / 4], ratios[ratios.length * 3 / 4]]
    end
  end
end
