# frozen_string_literal: true

require "fileutils"
require "etc"
require "tempfile"

module Benchmark
  # One run of a command: wall, user and system time in seconds, including child processes, the peak resident set of its
  # largest process in KiB, and the number of page faults without input. GNU time reads these figures from the kernel.
  Sample = Struct.new(:wall, :user, :system, :memory, :faults) do
    def cpu = user + system
  end

  # Runs commands in turn and records their samples.
  class Measure
    TIME = "/usr/bin/time"

    # A command to measure. `before` is called before each run and is not measured; `check` is called after it.
    Row = Struct.new(:name, :before, :env, :command, :folder, :check, :samples,
                     :optional, :failure, keyword_init: true)

    def self.sample(env, command, folder)
      Tempfile.create("time") do |file|
        log = "#{file.path}.log"
        ok = system(env, TIME, "-q", "-f", "%e %U %S %M %R", "-o", file.path, *command,
                    chdir: folder, in: File::NULL, out: log, err: %i[child out])
        raise "#{command.join(" ")} failed in #{folder}:\n#{File.read(log)}" unless ok

        wall, user, system, memory, faults = File.read(file.path).split
        Sample.new(wall.to_f, user.to_f, system.to_f, memory.to_i, faults.to_i)
      ensure
        File.unlink(log) if log && File.exist?(log)
      end
    end

    # Runs all rows in turn, `times` times: A B C A B C ...
    def self.interleave(rows, times)
      rows.each { |row| row.samples = [] }
      times.times do
        rows.each { |row| run(row) unless row.failure }
      end
      rows
    end

    # If an optional row fails, the table shows the failure. Other rows must succeed.
    def self.run(row)
      row.before&.call
      row.samples << precise(row)
      row.check&.call
    rescue RuntimeError => e
      raise unless row.optional

      row.failure = e.message.lines.grep(/fail|error/i).last.to_s.strip[0, 100]
    end

    # GNU time has a resolution of 10 ms, which is too coarse for short runs.
    def self.precise(row)
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      sample = sample(row.env, row.command, row.folder)
      sample.wall = Process.clock_gettime(Process::CLOCK_MONOTONIC) - started if sample.wall < 1
      sample
    end
  end

  # Median and range of some numbers.
  module Figures
    module_function

    def median(numbers)
      sorted = numbers.sort
      middle = sorted.size / 2
      sorted.size.odd? ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2.0
    end

    # "0.123 (0.119-0.140)"
    def spread(numbers)
      format("%.3f (%.3f-%.3f)", median(numbers), *numbers.minmax)
    end
  end

  # The goals of a table. Each is [text, whether it was met, or nil if it was not measured].
  module Goals
    WORDS = { true => "hit", false => "MISS", nil => "not run" }.freeze

    def self.words(goals) = goals.map { |text, met| "#{text}: #{WORDS.fetch(met)}" }.join("; ")
  end

  # A table in GitHub's Markdown. It is printed, and written to benchmark/results/NAME.md with a description of the
  # machine.
  class Table
    RESULTS = File.expand_path("../results", __dir__)

    def initialize(title, columns)
      @title = title
      @columns = columns
      @rows = []
      @notes = []
    end

    def row(*cells)
      @rows << cells.map(&:to_s)
      self
    end

    def note(text)
      @notes << text
      self
    end

    def to_s
      lines = [@columns, @columns.map { "---" }, *@rows].map { |cells| "| #{cells.join(" | ")} |" }
      "## #{@title}\n\n#{lines.join("\n")}\n\n#{@notes.map { |note| "- #{note}\n" }.join}"
    end

    def self.machine
      model = File.read("/proc/cpuinfo")[/model name\s*:\s*(.+)/, 1]
      kernel = File.read("/proc/version")[/version (\d+\.\d+)/, 1]
      [Time.now.utc.strftime("%Y-%m-%d"), RUBY_DESCRIPTION, "#{Etc.nprocessors} processors (#{model})",
       "Linux #{kernel}"].join("; ")
    end

    # results: the folder in which the file is written.
    def self.write(name, tables, results: RESULTS)
      text = "# benchmark/#{name}\n\n#{machine}\n\n#{tables.join("\n")}"
      path = File.join(results, "#{name}.md")
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, text)
      puts text
    end
  end
end
