# frozen_string_literal: true

require_relative "benchmark"

module Benchmark
  module JS
    # Measures a restore with a full store: resources of each tool, and its system calls.
    class Profile
      FLOOR = File.expand_path("../../../build/floor/link", __dir__)
      FLOORS = File.expand_path("../../../benchmark/floor", __dir__)
      LOCKFILES = { "pnpm" => ["pnpm-lock.yaml", "node_modules/.pnpm"],
                    "npm" => ["package-lock.json", "node_modules"] }.freeze
      COLUMNS = ["", "wall s", "user + sys s", "user s", "page faults", "peak MB", "CPU to bun", "wall to bun"].freeze
      # Calls in the table: all that a tool makes at least this often.
      OFTEN = 500

      # Rows without a Tool: title, block that runs it, samples.
      Row = Struct.new(:title, :run, :samples) do
        def full = samples << run.call
      end

      def initialize(fixtures, rounds:, folder:, before:, result:)
        @rounds = rounds
        @before = before
        @result = result
        @workspace = Workspace.new(fixtures, folder)
      end

      def call
        NpmTools.fetch
        system("make", "-s", "-C", FLOORS) || abort("the floors could not be built")
        @version = @workspace.versions.fetch("bun")
        tables = LOCKFILES.keys.flat_map { |lockfile| [resources(lockfile), calls] }
        Table.write(@result, tables, results: Run::RESULTS)
      ensure
        @workspace.remove
      end

      private

      def resources(lockfile)
        @tools = tools(lockfile).each { |tool| tool.samples.clear }
        rows = [*@tools, *floors(lockfile), start]
        @rounds.times { |round| rows.rotate(round).each(&:full) }
        table(lockfile, rows)
      end

      # Each has restored twice, which fills the stores. All versions of Spate use the same store. The global virtual
      # store has another one: its plan would replace the other plan, whose lockfile is the same.
      def tools(lockfile)
        bun = filled("bun", lockfile, title: @version)
        spate = filled("spate", lockfile, title: "spate js")
        before = filled("spate", lockfile, title: "spate js, before", launcher: @before, home: spate.home) if @before
        title = "spate js, global virtual store"
        shared = filled("spate", lockfile, title: title, shared: true) if lockfile == "pnpm"
        [bun, spate, before, shared].compact
      end

      def filled(name, lockfile, **options)
        Tool.new(name, lockfile, @workspace, **options).tap { |tool| 2.times { tool.full } }
      end

      def floors(lockfile)
        source = "#{@tools[1].folder}/#{LOCKFILES.fetch(lockfile).last}"
        [1, 2].map do |threads|
          Row.new("floor: mkdir and link, threads: #{threads}", -> { floor(threads, source) }, [])
        end
      end

      def floor(threads, source)
        @workspace.settle_disk
        wall, cpu = @workspace.capture([FLOOR, threads.to_s, source, @workspace.fresh("floor")]).split.map(&:to_f)
        Sample.new(wall, 0.0, cpu, 0, 0)
      end

      def start
        command = [RbConfig.ruby, "--disable-gems", "-e", "1"]
        row = Measure::Row.new(env: {}, command: command, folder: @workspace.folder)
        Row.new("ruby --disable-gems -e 1", -> { Measure.precise(row) }, [])
      end

      def table(lockfile, rows)
        table = Table.new("#{LOCKFILES.fetch(lockfile).first}: store full, no node_modules", COLUMNS)
        rows.each { |row| table.row(row.title, *cells(row.samples, rows.first.samples)) }
        table.note("#{@rounds} rounds, interleaved; median (min-max). The floor is benchmark/floor/link.c with the " \
                   "folder #{LOCKFILES.fetch(lockfile).last} of a restored project, without its symbolic links.")
        table.note("Load at the end: #{File.read("/proc/loadavg").split.first(3).join(", ")}.")
      end

      def cells(samples, bun)
        all = ->(name) { samples.map(&name) }
        ratio = ->(name) { format("%.2f", Figures.median(all[name]) / Figures.median(bun.map(&name))) }
        [Figures.spread(all[:wall]), Figures.spread(all[:cpu]), format("%.3f", Figures.median(all[:user])),
         Figures.median(all[:faults]).to_i, all[:memory].max / 1024, ratio[:cpu], ratio[:wall]]
      end

      def calls
        found = @tools.to_h { |tool| [tool.title, tool.calls] }
        names = found.values.flat_map { |counts| counts.select { |_, count| count >= OFTEN }.keys }.uniq
        table = Table.new("System calls (strace -f -c)", ["", *found.keys])
        names.sort_by { |name| -found.values.map { |counts| counts.fetch(name, 0) }.max }
             .each { |name| table.row(name, *found.each_value.map { |counts| counts.fetch(name, 0) }) }
        table.note("Calls that one of the tools makes at least #{OFTEN} times.")
      end
    end
  end
end
