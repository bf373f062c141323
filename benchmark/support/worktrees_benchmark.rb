# frozen_string_literal: true

require "digest"
require "find"
require "support/measure"
require "support/app_workspace"

module Benchmark
  # Installs and boots many working trees of one repository at once, as coding agents use them.
  class WorktreesBenchmark
    # name => [revision, arguments]. The last row only reads the inputs of a boot, since `exec` runs the same files
    # again.
    ROWS = {
      "install, CHECKSUMS in the lockfile" => [:checksums, %w[install --quiet]],
      "install" => [:plain, %w[install --quiet]],
      "install, nothing to do" => [:plain, %w[install --quiet]],
      "exec ruby -e 1" => [:plain, %w[exec ruby -e 1]]
    }.freeze
    # The number of trees that build their compile caches. This part has only one round, since it takes longer than all
    # others.
    BUILDING = 4
    Run = Struct.new(:wall, :cpu)

    def initialize(app:, rounds:, trees:)
      @workspace = AppWorkspace.new(app)
      @rounds = rounds
      @trees = trees
    end

    def run
      @workspace.prepare
      @repository, @env = @workspace.app(:worktrees)
      commit
      fill
      Table.write("worktrees", [table, compile_caches_table])
    ensure
      @workspace.stop
      Peers.empty_trash
    end

    private

    def table
      rounds = Array.new(@rounds) { round }
      table = Table.new("#{@workspace.name}: #{@trees} working trees at once, store full, #{@rounds} rounds",
                        ["", "s for all: median (min-max)", "s each", "user + sys s each"])
      ROWS.each_key { |name| row(table, name, rounds.map { |round| round.fetch(name) }) }
      note(table)
    end

    def row(table, name, runs)
      all = runs.map(&:wall)
      table.row(name, Figures.spread(all), *[all, runs.map(&:cpu)].map { |one| each(Figures.median(one)) })
    end

    def each(seconds) = format("%.3f", seconds / @trees)

    def note(table)
      table.note("s each: all of them, through their number; to reach: 0.25 for install")
      table.note("without CHECKSUMS this source is asked for each name, as one that is not RubyGems' own")
      table.note("bytes of gems that are on the disk beside the store: #{@own} in all trees, of #{@whole} in each")
    end

    # Measures the compile caches of the application's own files.
    def compile_caches_table
      trees = add(:plain, BUILDING)
      together(trees, %w[install --quiet])
      run = together(trees, %w[boot build --quiet])
      bytes = files(caches).sum(&:size)
      Table.new("#{@workspace.name}: compile caches of #{BUILDING} working trees at once",
                ["", "s for all", "user + sys s each", "MB each"])
           .row("boot build", format("%.1f", run.wall), format("%.2f", run.cpu / BUILDING),
                format("%.1f", bytes / BUILDING / 1e6))
    ensure
      remove(trees)
    end

    # {title of a row => Run}
    def round
      made = {}
      runs = ROWS.to_h do |name, (revision, words)|
        [name, together(made[revision] ||= add(revision), words)]
      end
      weigh(made[:plain])
      runs
    ensure
      made.each_value { |trees| remove(trees) }
    end

    def remove(trees)
      trees.each { |tree| Peers.aside(tree) }
      git("worktree", "prune")
    end

    def add(revision, count = @trees)
      Array.new(count) { |index| "#{@workspace.folder}/#{revision}#{index}" }.each do |tree|
        git("worktree", "add", "--quiet", "--detach", tree, revision.to_s)
      end
    end

    def together(trees, words)
      started = now
      before = cpu
      pids = trees.to_h { |tree| [spawn(@env, Peers.launcher, *words, chdir: tree, out: File::NULL), tree] }
      pids.each do |pid, tree|
        Process.wait(pid)
        abort "spate #{words.first} failed in #{tree}" unless $?.success?
      end
      Run.new(now - started, cpu - before)
    end

    def weigh(trees)
      bundles = trees.flat_map { |tree| files("#{tree}/vendor/bundle") }
      @whole = bundles.sum(&:size) / trees.size
      @own = bundles.select { |info| info.nlink == 1 }.sum(&:size)
    end

    def files(folder) = Find.find(folder).map { |path| File.lstat(path) }.select(&:file?)

    # The folder with compile caches of gems and applications, as opposed to those of Spate's code.
    def caches = Dir.glob("#{store}/compile-cache/*").find { |path| File.basename(path) != "own" }
    def store = "#{@env.fetch("SPATE_HOME")}/store/v1"

    # Fills the store with everything that another tree needs, and compiles Spate's own code. CI is unset, because Spate
    # does not compile its code in CI.
    def fill
      %w[checksums plain].each do |revision|
        git("checkout", "--quiet", revision)
        Peers.aside(@workspace.bundle(:worktrees))
        @workspace.run(:worktrees, [Peers.launcher, "install", "--quiet", "--compile-cache", "off"], CI: nil)
      end
      sleep 0.1 until Dir.glob("#{store}/compile-cache/own/*.compiled").any?
    end

    def commit
      FileUtils.rm_rf("#{@repository}/.git") # the port of the source changes in each run
      git("init", "--quiet", "--initial-branch", "plain")
      File.write("#{@repository}/.gitignore", "vendor/bundle\n")
      keep("app")
      git("checkout", "--quiet", "-b", "checksums")
      File.write("#{@repository}/Gemfile.lock", "\nCHECKSUMS\n#{checksums.join("\n")}\n", mode: "a")
      keep("checksums")
    end

    def keep(message)
      git("add", "--all")
      git("-c", "user.name=a", "-c", "user.email=a@example.test", "commit", "--quiet", "--message", message)
    end

    # The lines of CHECKSUMS, in the format of Bundler 4.
    def checksums
      @workspace.archive_files.map do |path|
        _, name, version = File.basename(path, ".gem").match(/\A(.+?)-(\d.*)\z/).to_a
        "  #{name} (#{version}) sha256=#{Digest::SHA256.file(path).hexdigest}"
      end
    end

    def git(*words) = system("git", "-C", @repository, *words, exception: true)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    def cpu = Process.times.then { |times| times.cutime + times.cstime }
  end
end
