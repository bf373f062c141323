# frozen_string_literal: true

require "find"
require "support/measure"
require "support/app_workspace"

module Benchmark
  # Working trees as agents have them: one repository, many checkouts, all installed and booted at once.
  class WorktreesBenchmark
    # Of the same files: reads as much of a boot as `exec` decides about.
    BOOT = %w[exec ruby -e 1].freeze

    def initialize(app:, rounds:, trees:)
      @workspace = AppWorkspace.new(app)
      @rounds = rounds
      @trees = trees
    end

    def run
      @workspace.prepare
      @repository, @env = @workspace.app(:worktrees)
      commit
      @workspace.run(:worktrees, [Peers.launcher, "install", "--quiet"])
      Table.write("worktrees", [table])
    ensure
      @workspace.stop
      Peers.empty_trash
    end

    private

    def table
      rounds = Array.new(@rounds) { round }
      table = Table.new("#{@workspace.name}: #{@trees} working trees at once, store full, #{@rounds} rounds",
                        ["", "s for all: median (min-max)", "s each"])
      ["install", "install, nothing to do", "exec ruby -e 1"].each_with_index do |name, index|
        all = rounds.map { |figures| figures[index] }
        table.row(name, Figures.spread(all), format("%.3f", Figures.median(all) / @trees))
      end
      note(table, rounds)
    end

    def note(table, rounds)
      table.note("s each: all of them, through their number; to reach: 0.25 for install")
      table.note("bytes of gems that are on the disk beside the store: #{rounds.map(&:last).max} in all trees, " \
                 "of #{@whole} in each")
    end

    # Seconds of install, of one with nothing to do, of a boot; and the bytes that are not the store's.
    def round
      trees = Array.new(@trees) { |index| "#{@workspace.folder}/tree#{index}" }
      trees.each { |tree| git("worktree", "add", "--quiet", "--detach", tree) }
      figures = [%w[install --quiet], %w[install --quiet], BOOT].map { |words| together(trees, words) }
      [*figures, own_bytes(trees)]
    ensure
      trees.each { |tree| Peers.aside(tree) }
      git("worktree", "prune")
    end

    def together(trees, words)
      started = now
      pids = trees.to_h { |tree| [spawn(@env, Peers.launcher, *words, chdir: tree, out: File::NULL), tree] }
      pids.each do |pid, tree|
        Process.wait(pid)
        abort "spate #{words.first} failed in #{tree}" unless $?.success?
      end
      now - started
    end

    # Of files with one name only.
    def own_bytes(trees)
      sizes = trees.flat_map do |tree|
        Find.find("#{tree}/vendor/bundle").map { |path| File.lstat(path) }.select(&:file?)
      end
      @whole = sizes.sum(&:size) / trees.size
      sizes.select { |info| info.nlink == 1 }.sum(&:size)
    end

    def commit
      FileUtils.rm_rf("#{@repository}/.git") # the source has another port in each run
      git("init", "--quiet")
      File.write("#{@repository}/.gitignore", "vendor/bundle\n")
      git("add", "--all")
      git("-c", "user.name=a", "-c", "user.email=a@example.test", "commit", "--quiet", "--message", "app")
    end

    def git(*words) = system("git", "-C", @repository, *words, exception: true)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
  end
end
