# frozen_string_literal: true

require "spate/native"
require "support/made_archives"
require "support/measure"
require "support/surge"

module Benchmark
  # Measures unpacking and linking by the core, in this process. Runs are interleaved with the lower bounds.
  class UnpackBenchmark
    CURVE = [4, 8, 16, 24, 32, 48, 64, 128, 256].freeze
    PACKAGES = 155
    FILES_A_PACKAGE = 71
    MEMORY = "/dev/shm"

    # One kind of run, with the wall and CPU times of its runs in seconds.
    Variant = Struct.new(:name, :run, :wall, :cpu)

    def initialize(pairs:, threads:, folder:)
      @pairs = pairs
      @threads = threads
      @folder = folder
      @archives = MadeArchives.new(File.join(folder, "archives"))
      @floors = File.expand_path("../../build/floor", __dir__)
      @scratch = File.join(folder, "run-#{Process.pid}")
      @counter = 0
    end

    def run
      prepare
      tables = [unpacking(@folder), *in_memory, curve, linking, Surge.new(@archives, @scratch, @threads).table]
      Table.write("unpack", tables)
    ensure
      FileUtils.rm_rf(@scratch)
    end

    def surge
      prepare
      puts Surge.new(@archives, @scratch, @threads).table
    ensure
      FileUtils.rm_rf(@scratch)
    end

    private

    def prepare
      system("make", "-s", "-C", File.expand_path("../floor", __dir__)) || abort("the floors could not be built")
      FileUtils.mkdir_p(@scratch)
    end

    # A new path for each tree. Trees are deleted at the end, because ext4 creates files slowly for minutes after a
    # large tree was deleted.
    def fresh(name) = File.join(@scratch, "#{name}#{@counter += 1}")

    def clock(id) = Process.clock_gettime(id)

    def measure(variants)
      variants.each { |variant| variant.wall, variant.cpu = [], [] }
      (@pairs + 1).times do |round|
        variants.rotate(round).each do |variant|
          wall, cpu = variant.run.call
          next if round.zero? # warms the caches

          variant.wall << wall
          variant.cpu << cpu
        end
      end
    end

    def timed
      wall = clock(Process::CLOCK_MONOTONIC)
      cpu = clock(Process::CLOCK_PROCESS_CPUTIME_ID)
      yield
      [clock(Process::CLOCK_MONOTONIC) - wall, clock(Process::CLOCK_PROCESS_CPUTIME_ID) - cpu]
    end

    def open_store
      root = File.join(fresh("store"), "v1")
      Spate::Native::Store.new(root, unpack_threads: @threads, link_threads: @threads)
    end

    # Unpacks into a new store that already contains one package, so that its threads run and most of its folders exist.
    def unpack(archive, kind, parallel_from, memory: nil)
      store = open_store
      store.unpack(@archives.gem("other", files: 512), parallel_from: 1).close
      tree = File.join(store.root, "tmp", "tree")
      proved = nil
      sample = timed do
        proved = store.unpack(archive, kind: kind, tree: tree, parallel_from: parallel_from, memory: memory)
      end
      raise "the parallel branch did not run as asked" unless proved.parallel? == (parallel_from != false)

      sample
    end

    def floor(program, *arguments)
      output = IO.popen([File.join(@floors, program), *arguments.map(&:to_s)], &:read)
      raise "floor #{program} failed" unless $?.success?

      output.split.first(2).map(&:to_f)
    end

    def extract_floor(threads, archive) = floor("extract", threads, fresh("floor"), archive)

    # Measures the gain from two threads on tmpfs. ext4 limits it with a lock per folder and a single journal.
    def in_memory
      return [] unless file_system(MEMORY) == "tmpfs"

      disk = @scratch
      @scratch = File.join(MEMORY, "spate-unpack-#{Process.pid}")
      FileUtils.mkdir_p(@scratch)
      [unpacking(MEMORY)]
    ensure
      FileUtils.rm_rf(@scratch) if disk
      @scratch = disk || @scratch
    end

    def file_system(folder) = IO.popen(["stat", "-f", "-c", "%T", folder], err: File::NULL, &:read).chomp

    def unpacking(folder)
      @goals = []
      table = Table.new("Unpacking: archive to objects and tree, on #{file_system(folder)} (ms: median, min-max)",
                        ["archive", "floor 1 thread", "floor #{@threads}", "serial", "parallel", "streamed",
                         "parallel over serial", "CPU, parallel to serial", "floor #{@threads} over floor 1",
                         "serial to its floor", "parallel to its floor"])
      { "core-js (npm)" => [@archives.core_js, :npm],
        "5,000 files (.gem)" => [@archives.gem("many", files: 5000), :gem] }.each do |name, (path, kind)|
        path ? unpacking_row(table, name, path, kind) : table.row(name, "not run: npm pack failed")
      end
      table.note("Floor: read, inflate, mkdir, open, write, close; no hash, no store (benchmark/floor/extract.c).")
      table.note("A pair's ratio is taken in each round; shown is the median. Streamed: memory bound of 1 MiB.")
      table.note("5,000 files: #{Goals.words(@goals)}")
    end

    def unpacking_row(table, name, path, kind)
      rows = [Variant.new("floor 1", -> { extract_floor(1, path) }),
              Variant.new("floor N", -> { extract_floor(@threads, path) }),
              Variant.new("serial", -> { unpack(path, kind, false) }),
              Variant.new("parallel", -> { unpack(path, kind, 1) }),
              Variant.new("streamed", -> { unpack(path, kind, 1, memory: 1 << 20) })]
      measure(rows)
      one, many, serial, parallel, streamed = rows
      table.row(name, *[one, many, serial, parallel, streamed].map { |row| milliseconds(row.wall) },
                "#{ratio(serial.wall, parallel.wall)}x", ratio(parallel.cpu, serial.cpu),
                "#{ratio(one.wall, many.wall)}x", ratio(serial.wall, one.wall), ratio(parallel.wall, many.wall))
      gain, most = ratio(serial.wall, parallel.wall).to_f, ratio(one.wall, many.wall).to_f
      @goals = [["parallel 1.7 x of serial, or the floor's own gain (#{gain} of #{most})", gain >= [1.7, most].min],
                ["CPU within 10 % of serial", ratio(parallel.cpu, serial.cpu).to_f <= 1.1]]
    end

    def milliseconds(seconds)
      least, most = seconds.minmax
      format("%.1f (%.1f-%.1f)", Figures.median(seconds) * 1e3, least * 1e3, most * 1e3)
    end

    def ratio(above, below) = format("%.2f", Figures.median(above.zip(below).map { |a, b| a / b }))

    def curve
      table = Table.new("Where parallel begins to pay (ms a package, median)",
                        ["files", "serial", "parallel", "serial / parallel"])
      CURVE.each do |files|
        archive = @archives.gem("curve", files: files)
        rows = [Variant.new("serial", -> { repeated(archive, false) }),
                Variant.new("parallel", -> { repeated(archive, 1) })]
        measure(rows)
        table.row(files, *rows.map { |row| milliseconds(row.wall) }, ratio(rows[0].wall, rows[1].wall))
      end
      table.note("The threshold is 32 by default (parallel_from); the store has met another package before.")
    end

    # Unpacks several packages into one store, as an install does.
    def repeated(archive, parallel_from)
      walls = Array.new(5) { unpack(archive, :gem, parallel_from) }
      walls.transpose.map { |figures| Figures.median(figures) }
    end

    def linking
      store = open_store
      manifests = Array.new(PACKAGES) do |i|
        path = File.join(store.root, "tmp", "manifest#{i}")
        store.unpack(@archives.gem("package", files: FILES_A_PACKAGE, seed: i)).write_manifest(path, "")
        store.manifest(path)
      end
      link = lambda do |folder|
        jobs = manifests.each_with_index.map { |manifest, i| [File.join(folder, "gem#{i}"), [manifest], :hard] }
        raise "linking failed" unless store.link(jobs).all?(&:ok?)
      end
      source = fresh("linked")
      link.call(source)
      rows = [Variant.new("floor", -> { floor("link", @threads, source, fresh("floor")) }),
              Variant.new("link", -> { timed { link.call(fresh("linked")) } })]
      measure(rows)
      Table.new("Linking #{PACKAGES} packages, #{PACKAGES * FILES_A_PACKAGE} files, #{@threads} threads (ms)",
                ["floor", "link", "link to floor", "CPU, link to floor"])
           .row(milliseconds(rows[0].wall), milliseconds(rows[1].wall), ratio(rows[1].wall, rows[0].wall),
                ratio(rows[1].cpu, rows[0].cpu))
           .note("Floor: mkdir and link of the same tree, no object is looked at (benchmark/floor/link.c).")
    end
  end
end
