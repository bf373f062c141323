# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "support/measure"
require "spate/inputs"

module Benchmark
  # Measures wall time in one process for 5,000 inputs, like those of a native build. All files are in the page cache.
  class InputsBenchmark
    Inputs = Spate::Inputs
    FILES = 1_500
    ABSENT = 3_000
    FOLDERS = 40
    LOOKED = 300
    LINKS = 100
    LISTED = 100
    RECORDS = 10
    KILOBYTES = 8
    # The goal for a warm check, in milliseconds.
    GOAL_MS = 10

    def initialize(rounds:)
      @rounds = rounds
    end

    def run
      Dir.mktmpdir do |folder|
        @folder = File.realpath(folder)
        entries
        sleep 0.05
        Table.write("inputs", [check_table, write_table, memo_table])
      end
    end

    private

    def check_table
      record = write("record")
      write("portable", portable: true)
      warm = samples { holds(record) }
      Table.new("Check: #{entries.length} inputs, #{File.size(record) / 1000} kB", ["", "ms: median (min-max)"])
           .row("warm, by times", spread(warm))
           .row("without stamps, by content", spread(samples { holds("#{@folder}/portable", :renew) }))
           .row("a stat of each path, from Ruby", spread(samples { bare_looks }))
           .note("Goal: #{GOAL_MS} ms warm: #{warm.min / 1e6 <= GOAL_MS ? "reached" : "missed"}")
           .note("#{FILES} files of #{KILOBYTES} kB, #{ABSENT} absences in #{FOLDERS} folders, #{LOOKED} looks, " \
                 "#{LINKS} links, #{LISTED} listings")
    end

    def write_table
      Table.new("Write: the same", ["", "ms: median (min-max)"]).row("all kinds", spread(samples { write("written") }))
    end

    def memo_table
      record = "#{@folder}/record"
      Table.new("Check: #{RECORDS} records of the same", ["", "ms: median (min-max)"])
           .row("each by itself", spread(samples { RECORDS.times { holds(record) } }))
           .row("with one memory of looks", spread(samples { with_memo(record) }))
    end

    def with_memo(record)
      memo = Inputs::Memo.new
      RECORDS.times { raise "changed" if Inputs.check(record, roots, memo: memo) }
    end

    def holds(record, expected = nil)
      found = Inputs.check(record, roots)
      raise "not as expected: #{found}" unless found == expected
    end

    def bare_looks
      entries.each do |_, path|
        File.lstat(path)
      rescue Errno::ENOENT
        nil
      end
    end

    def write(name, **options)
      "#{@folder}/#{name}".tap do |path|
        raise "not written" if Inputs.record(path, entries, roots, **options)
      end
    end

    def roots = { "bundle" => "#{@folder}/bundle" }

    def entries
      @entries ||= files + absences + looks + links + listings
    end

    def files
      content = "x" * (KILOBYTES * 1000)
      Array.new(FILES) { |i| [:file, make("bundle/include/#{i % 120}/header_#{i}.h", content)] }
    end

    def absences
      Array.new(FOLDERS) { |i| make("usr/include/#{i}/here.h") }
           .flat_map { |path| Array.new(ABSENT / FOLDERS) { |i| [:absent, "#{File.dirname(path)}/missing_#{i}.h"] } }
    end

    def looks = Array.new(LOOKED) { |i| [:looked, make("usr/lib/#{i % 20}/looked_#{i}.rb")] }

    def links
      Array.new(LINKS) do |i|
        path = "#{@folder}/usr/lib/#{i % 20}/link_#{i}"
        File.symlink("looked_#{i}.rb", path)
        [:link, path]
      end
    end

    def listings
      Array.new(LISTED) { |i| [:listed, File.dirname(make("bundle/lib/#{i}/listed.rb"))] }
    end

    def make(relative, content = "")
      path = "#{@folder}/#{relative}"
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, content)
      path
    end

    def spread(samples) = Figures.spread(samples.map { |each| each / 1e6 })

    def samples
      yield
      Array.new(@rounds) do
        started = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
        yield
        Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond) - started
      end
    end
  end
end
