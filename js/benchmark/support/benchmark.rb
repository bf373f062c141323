# frozen_string_literal: true

require_relative "core_tables"
require_relative "tools"
require_relative "workspace"
require "support/measure"

module Benchmark
  module JS
    # Runs the requested cases with both lockfiles, and prints one table for each.
    class Run
      TITLES = {
        cold: "nothing cached",
        full: "store full, no node_modules",
        again: "store full, node_modules gone from a project that was restored before",
        nothing: "all in place, nothing to do"
      }.freeze
      RESULTS = File.expand_path("../results", __dir__)
      METHODS = { "cold" => :cold, "full" => :full, "again" => :again, "noop" => :nothing }.freeze

      def initialize(fixtures, rounds:, folder:, cases:, lockfiles:, result:)
        @rounds = rounds
        @cases = cases
        @lockfiles = lockfiles
        @result = result
        @workspace = Workspace.new(fixtures, folder)
      end

      def call
        NpmTools.fetch
        @versions = @workspace.versions
        measured = @lockfiles.product(@cases & METHODS.keys).map { |lockfile, name| restoring(lockfile, METHODS[name]) }
        measured.concat(CoreTables.new(@workspace, archives, @rounds).tables) if @cases.include?("core")
        Table.write(@result, measured, results: RESULTS)
      ensure
        @workspace.remove
      end

      private

      def restoring(lockfile, kind)
        tools = tools(lockfile, kind)
        downloads = []
        rounds = kind == :cold ? [@rounds, 3].min : @rounds
        rounds.times do |round|
          tools.rotate(round).each(&kind)
          downloads << download if kind == :cold && lockfile == "pnpm"
        end
        table(lockfile, kind, tools, downloads).tap { |table| warn table.to_s }
      end

      # Spate, the tool that owns the lockfile, and bun. bun reads a converted lockfile: see Workspace#project.
      def tools(lockfile, kind)
        plain = ["spate", lockfile, "bun"].map do |name|
          tool(name, lockfile, title: @versions.fetch(name, "spate js"))
        end
        return plain unless lockfile == "pnpm" && kind == :full

        plain + %w[spate pnpm].map do |name|
          tool(name, lockfile, title: "#{@versions.fetch(name, "spate js")}, global virtual store", shared: true)
        end
      end

      def tool(name, lockfile, **options) = Tool.new(name, lockfile, @workspace, **options)

      # Downloads all archives into a fresh folder, @archives. Returns the sample.
      def download
        project = @workspace.project("spate", "pnpm", home = @workspace.home)
        target = @workspace.fresh("archives")
        command = [RbConfig.ruby, File.expand_path("download.rb", __dir__), project, target]
        row = Measure::Row.new(env: @workspace.env(home), command: command, folder: project, samples: [])
        Measure.precise(row).tap { @archives = target }
      end

      def archives
        download unless @archives
        Dir.glob("#{@archives}/*.tgz")
      end

      def table(lockfile, kind, tools, downloads)
        file = lockfile == "pnpm" ? "pnpm-lock.yaml" : "package-lock.json"
        columns = ["", "wall s", "user + sys s", "peak MB", "wall to Spate", "CPU to Spate", "files"]
        table = Table.new("#{file}: #{TITLES.fetch(kind)}", columns)
        base = tools.first.samples
        tools.each { |tool| table.row(tool.title, *cells(tool.samples, base), tool.files) }
        table.row("downloading alone, Spate's client", *cells(downloads, base), "") if downloads.any?
        where = %i[again nothing].include?(kind) ? "All runs of a tool in one folder" : "Each run in a fresh folder"
        table.note("#{base.size} rounds, interleaved; median (min-max). No scripts. #{where}, all writes of earlier " \
                   "ones on disk, and nothing removed before the end.")
      end

      def cells(samples, base)
        return ["not run: it made none", "", "", "", ""] if samples.empty?

        [Figures.spread(samples.map(&:wall)), Figures.spread(samples.map(&:cpu)), samples.map(&:memory).max / 1024,
         ratio(samples, base, &:wall), ratio(samples, base, &:cpu)]
      end

      # GNU time has a resolution of 0.01 s, so a median can be zero.
      def ratio(samples, base, &figure)
        below = Figures.median(base.map(&figure))
        below.zero? ? "" : format("%.2f", Figures.median(samples.map(&figure)) / below)
      end
    end
  end
end
