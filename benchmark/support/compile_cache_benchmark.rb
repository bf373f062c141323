# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "support/measure"
require "spate/native/boot"

module Benchmark
  # The measured operations take microseconds. So they run in one process with GC disabled, and its CPU time is
  # measured.
  class CompileCacheBenchmark
    CompileCache = Spate::Native::CompileCache
    Loader = Spate::Native::Loader
    ISEQ = RubyVM::InstructionSequence
    KEY = "benchmark/compile_cache."
    FILES = 5_000
    MEGABYTES = 24
    FOLDERS = 500

    def initialize(rounds:)
      @rounds = rounds
    end

    def run
      Dir.mktmpdir do |folder|
        @folder = File.realpath(folder)
        FileUtils.mkdir_p("#{@folder}/compile-cache", mode: 0o700)
        system("make", "-s", "-C", File.expand_path("../floor", __dir__)) || abort("the floors could not be built")
        Table.write("compile_cache", [open_table, bytes_table, load_table])
      end
    end

    private

    def open_table
      path = write("large", sources, "x" * (MEGABYTES * 1_000_000 / FILES))
      opened = samples { Native::CompileCache.open(path, key: KEY) }
      Table.new("Open: #{FILES} entries, #{File.size(path) / 1_000_000} MB", ["", "ms: median (min-max)"])
           .row("owner, modes, header, tables, every offset", Figures.spread(opened.map { |each| each / 1e6 }))
    end

    def bytes_table
      command = [File.expand_path("../../build/floor/map", __dir__), "#{@folder}/compile-cache/large", @rounds.to_s]
      output = IO.popen(command, &:read)
      mapped, read, summed, by_tables = output.split
      sums = Native::CompileCache.checksum_backend
      Table.new("Bytes and their CRC-32C (#{sums}): the same file, warm", ["", "ms, least"])
           .row("mapped", mapped).row("read into memory", read).row("the sum alone", summed)
           .row("the sum alone, by tables", by_tables).note("benchmark/floor/map.c")
    end

    # Files with almost no code, to measure the overhead of a load.
    def load_table
      Loader.install
      Loader.add(Native::CompileCache.open(write("small", sources), key: KEY))
      loads # unmeasured: the first load checks the folders and reads the pages from disk
      rows = Hash.new { |hash, key| hash[key] = [] }
      @rounds.times { loads(rows) }
      raise "not all came from the compile cache: #{Loader.counts}" unless Loader.counts[:hit] == (@rounds + 1) * FILES

      table = Table.new("Load: a file from a compile cache of #{FILES} in #{FOLDERS} folders",
                        ["", "ns a file: median (min-max)"])
      rows.each { |name, taken| table.row(name, Figures.spread(taken.map { |each| each.fdiv(FILES) })) }
      least = rows.values.map { |taken| taken.min.fdiv(FILES) }.reduce { |bare, ours| ours - bare }
      table.row("difference of the least", format("%.0f", least))
      table.note("The difference is what the compile cache costs: look-up, comparison of times, record, real path.")
    end

    def loads(rows = Hash.new { |hash, key| hash[key] = [] })
      blobs = sources.map { |path| code(path) }
      rows["lstat and load_from_binary"] << clocked do
        sources.each_with_index do |path, i|
          Spate::Native.stat(path)
          ISEQ.load_from_binary(blobs[i])
        end
      end
      rows["load_iseq"] << clocked { sources.each { |path| ISEQ.load_iseq(path) } }
      rows
    end

    def sources
      @sources ||= Array.new(FILES) do |i|
        path = "#{@folder}/gems/gem-#{i % FOLDERS}/lib/file_#{i}.rb"
        FileUtils.mkdir_p(File.dirname(path))
        File.write(path, "")
        path
      end
    end

    def code(path) = (@codes ||= {})[path] ||= ISEQ.compile("", path, path).to_binary

    def write(name, paths, blob = nil)
      files = paths.map do |path|
        size, mtime_ns, ctime_ns, _device, inode = Spate::Native.stat(path)
        hash = Spate::Native.content_hash(path)
        [path, [size, mtime_ns, ctime_ns, hash, ctime_ns + 1_000_000_000, inode], blob || code(path)]
      end
      Native::CompileCache.write("#{@folder}/compile-cache/#{name}", key: KEY, files: files)
    end

    def samples(&block) = Array.new(@rounds) { clocked(&block) }

    def clocked
      GC.start
      GC.disable
      started = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)
      yield
      Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond) - started
    ensure
      GC.enable
    end
  end
end
