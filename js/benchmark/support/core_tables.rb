# frozen_string_literal: true

require "etc"
require "rbconfig"
require "support/measure"

module Benchmark
  module JS
    # Compares extraction and linking by the core alone with C programs that make only the necessary system calls.
    class CoreTables
      FLOORS = File.expand_path("../../../build/floor", __dir__)
      WORK = [RbConfig.ruby, File.expand_path("core_work.rb", __dir__)].freeze
      THREADS = Etc.nprocessors

      # A block that runs a command, and its results: wall and CPU seconds, peak memory in KiB (nil if unknown).
      Part = Struct.new(:title, :run, :wall, :cpu, :memory)

      def initialize(workspace, archives, rounds)
        @workspace = workspace
        @archives = archives.sort_by { |path| -File.size(path) }
        @rounds = rounds
      end

      def tables
        floors = File.expand_path("../../../benchmark/floor", __dir__)
        system("make", "-s", "-C", floors) || abort("the floors could not be built")
        [extraction, linking, tail]
      end

      private

      def extraction
        parts = [part("floor: read, inflate, mkdir, write") { floor("extract", THREADS, fresh, @archives) },
                 part("objects") { extract(@archives, what: "objects") },
                 part("objects and each package's tree") { extract(@archives, what: "tree") }]
        table("Extraction of all #{@archives.size} archives, #{THREADS} threads", parts)
          .note("With SHA-512 and SHA-256 of each archive and SHA-256 of each file, which the floor does without. " \
                "benchmark/floor/extract.c.")
      end

      def linking
        store = fresh
        extract(@archives, root: store)
        link(store, source = fresh)
        parts = [part("floor: mkdir, link, open of folders") { floor("link", THREADS, source, [fresh]) },
                 part("the same, one thread") { floor("link", 1, source, [fresh]) },
                 part("Store#link") { link(store, fresh) }]
        table("Linking all packages, #{THREADS} threads", parts)
          .note("#{@workspace.count(source)} files. Every object is looked at before it is linked, which the floor " \
                "does without. benchmark/floor/link.c.")
      end

      # Extracts one large archive alone: the worst case for balancing, in which it is the last archive of a restore.
      def tail
        large = @archives.find { |path| File.basename(path).start_with?("core-js@") } || @archives.first
        parts = %w[serial parallel].map { |how| part(how) { extract([large], how: how) } }
        table("The tail: #{File.basename(large, ".tgz")} alone, #{THREADS} threads", parts)
      end

      def fresh = @workspace.fresh("core")
      def part(title, &run) = Part.new(title, run, [], [], [])

      def extract(archives, how: "parallel", what: "objects", root: fresh)
        answer([*WORK, "extract", THREADS, how, what, root, *archives])
      end

      def link(store, destination) = answer([*WORK, "link", THREADS, store, destination, *@archives])

      # Drops the peak memory, which is meaningless for these programs.
      def floor(program, threads, argument, more) = answer(["#{FLOORS}/#{program}", threads, argument, *more]).first(2)

      def answer(command)
        @workspace.settle_disk
        @workspace.capture(command.map(&:to_s)).split.map(&:to_f)
      end

      def table(title, parts)
        @rounds.times { |round| parts.rotate(round).each { |part| sample(part) } }
        base = parts.first
        table = Table.new(title, ["", "wall s", "user + sys s", "peak MB", "wall to first", "CPU to first"])
        parts.each do |part|
          memory = part.memory.compact.max
          table.row(part.title, Figures.spread(part.wall), Figures.spread(part.cpu), memory ? memory.to_i / 1024 : "",
                    ratio(part.wall, base.wall), ratio(part.cpu, base.cpu))
        end
        table
      end

      def sample(part)
        wall, cpu, memory = part.run.call
        part.wall << wall
        part.cpu << cpu
        part.memory << memory
      end

      def ratio(above, below) = format("%.2f", Figures.median(above) / Figures.median(below))
    end
  end
end
