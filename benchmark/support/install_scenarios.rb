# frozen_string_literal: true

require "json"
require "securerandom"
require "spate"
require "support/install_goals"
require "support/install_rows"

module Benchmark
  # The scenarios for one application. Each returns a Table. Ratios are ratios of medians in one interleaved run.
  class InstallScenarios
    include InstallRows

    def initialize(workspace, pairs:, scint:)
      @workspace = workspace
      @pairs = pairs
      @scint = scint
    end

    # The store is full, and the bundle's folder is empty. Bundler has every archive in vendor/cache. If the lockfile
    # has no CHECKSUMS, Spate queries all sources except RubyGems' default source again, so the measured source is
    # treated like that one.
    def warm
      fill(:spate)
      mine = [spate_row("spate, store full", env: as_rubygems), spate_row("the same, each name asked for")]
      rows = [*mine, link_floor, ruby_row, bundler_row, bundler_row(skip: true), cached_bundler_row, scint_row]
      table("warm: store full, bundle empty", rows.compact, goals: :warm)
    end

    # The archives are in vendor/cache. The store contains only built extensions, data about RubyGems and the Gemfile
    # check.
    def extract
      fill(:extract, vendored: true)
      keep = builds_only(@workspace.home(:extract))
      learn(keep)
      row = spate_row("spate, store empty", tool: :extract, vendored: true, before: -> { restore(keep) })
      table("archives there, store empty, extensions apart", [row, extract_floor, bundler_row(skip: true)],
            goals: :extract)
    end

    # Nothing is cached. The source has 50 ms of latency and 200 Mbit/s for each connection. Spate does not compile its
    # own code, since the background process for that would slow down the next run.
    def cold
      forget_all = -> { Peers.aside("#{@workspace.home(:cold)}/spate") }
      rows = [spate_row("spate, nothing cached", tool: :cold, before: forget_all, env: { "SPATE_NO_OWN_CODE" => "1" }),
              bundler_row(tool: :cold_bundler, vendored: false), download_row, builds_row, scint_row(cold: true)]
      pairs = [@pairs, 3].min
      table("cold: everything from the source, 50 ms, 200 Mbit/s a connection", rows.compact, pairs: pairs,
                                                                                              goals: :cold)
        .note("Spate's own process: #{own_memory(rows.first)} MB at most, with the archives that it maps.")
    end

    # All gems are in the store, but no builds. Compares traced and untraced builds.
    def trace
      table("builds alone, traced and untraced", [builds_row("builds, traced"), deaf_builds_row], goals: :trace)
    end

    # The bundle is complete, so there is nothing to do.
    def noop
      fill(:spate)
      without = { "SPATE_NO_OWN_CODE" => "1" }
      rows = [row("spate, launcher", :spate, [Peers.launcher, "install"]), ruby_row,
              row("spate, RubyGems' wrapper", :spate, wrapper),
              row("launcher, own code compiled each time", :spate, [Peers.launcher, "install"], env: without),
              row("wrapper, own code compiled each time", :spate, wrapper, env: without), bundler_noop, scint_noop]
      table("no-op: all in place", rows.compact, pairs: [@pairs, 15].max, goals: :noop)
    end

    # Simulates a store from another machine's CI cache. The store is copied, so that all file times change. As root, it
    # also has a different boot id, through a mount in a separate namespace.
    def restored
      fill(:restored)
      home = @workspace.home(:restored)
      restored = spate_row("spate, restored", tool: :restored, before: -> { another_machine(home) })
      restored.command = OtherBoot.command(@workspace.folder, restored.command) if OtherBoot.possible?
      title = OtherBoot.possible? ? "times lost, another boot" : "times lost; another boot not run: needs root"
      table("warm from a restored CI cache: #{title}", [restored, spate_row("spate, store full")], goals: :restored)
    end

    # Runs a command with a different boot id.
    module OtherBoot
      BOOT_ID = "/proc/sys/kernel/random/boot_id"

      module_function

      def possible? = Process.uid.zero? && system("unshare -m true", err: File::NULL)

      def command(folder, command)
        mount = "mount --bind \"$1\" #{BOOT_ID} && shift && exec \"$@\""
        ["unshare", "-m", "sh", "-c", mount, "sh", file(folder), *command]
      end

      def begin(folder) = File.write(file(folder), "#{SecureRandom.uuid}\n")
      def file(folder) = "#{folder}/boot-id"
    end

    private

    # goals: a method of InstallGoals.
    def table(title, rows, goals:, pairs: @pairs)
      Measure.interleave(rows, pairs)
      base = median(rows.first)
      table = Table.new("#{@workspace.name}, #{title}", ["", "wall s", "user + sys s", "peak MB", "to Spate"])
      rows.each { |row| table.row(*cells(row, base)) }
      table.note("#{pairs} rounds, interleaved; median (min-max). " \
                 "Peak: the largest single process, compilers included.")
      table.note(Goals.words(InstallGoals.new(medians(rows)).public_send(goals)))
    end

    def medians(rows) = rows.reject(&:failure).to_h { |row| [row.name, median(row)] }

    # Peak memory of Spate's process in MiB, from the last event of an additional run.
    def own_memory(row)
      row.before.call
      output = IO.popen(row.env, [*row.command, "--json"], chdir: row.folder, &:read)
      JSON.parse(output.lines.last).fetch("peak_memory") >> 20
    end

    def cells(row, base)
      return [row.name, "not run: #{row.failure}", "", "", ""] if row.failure

      samples = row.samples
      [row.name, Figures.spread(samples.map(&:wall)), Figures.spread(samples.map(&:cpu)),
       samples.map(&:memory).max.to_i / 1024, format("%.2f", median(row) / base)]
    end

    def median(row) = Figures.median(row.samples.map(&:wall))

    # Creates a separate store for the tool. It contains the builds of the first install, so that they need not run
    # again.
    def fill(tool, vendored: false)
      @workspace.app(tool, vendored: vendored)
      own = "#{@workspace.home(tool)}/spate"
      FileUtils.cp_r("#{@workspace.home(:seed)}/spate", own, preserve: true) unless File.directory?(own)
      # The port of the source changes in each run, so its gems must be looked up before the measurement.
      Peers.aside(@workspace.bundle(tool))
      # Unset CI, so that Spate compiles its own code. Compile caches of gems are disabled, because they would be built
      # during the measurement.
      @workspace.run(tool, [Peers.launcher, "install", "--quiet", "--compile-cache", "off"], CI: nil)
      await_self_cache("#{own}/store/v1/compile-cache/own")
    end

    # The environment that treats the source like RubyGems' default source. Installs once in it, unmeasured.
    def as_rubygems
      env = { "RUBYOPT" => "-r#{File.expand_path("as_rubygems", __dir__)}",
              "SPATE_BENCHMARK_SOURCE" => @workspace.source.url }
      Peers.aside(@workspace.bundle(:spate))
      @workspace.run(:spate, [Peers.launcher, "install", "--quiet"], **env)
      env
    end

    # Waits for the compile cache that the previous run builds in the background.
    def await_self_cache(folder)
      100.times do
        return if Dir.glob("#{folder}/*.compiled").any? && Dir.glob("#{folder}/*.lock").empty?

        sleep 0.1
      end
      raise "no compile cache of Spate's own code was made in #{folder}"
    end

    # Copies Spate's folder, then removes all packages, so that only builds and their objects are left.
    def builds_only(home)
      keep = "#{home}/spate-builds"
      return keep if File.directory?(keep)

      FileUtils.cp_r("#{home}/spate", keep, preserve: true)
      store = "#{keep}/store/v1"
      %w[packages archives specs names bundles].each { |name| FileUtils.rm_rf("#{store}/#{name}") }
      wanted = objects_of_builds(store)
      Dir.glob("#{store}/objects/*/*") { |path| File.unlink(path) unless wanted.include?(File.basename(path)) }
      keep
    end

    def objects_of_builds(store)
      native = Spate::Native::Store.new(store, unpack_threads: 1, link_threads: 1)
      names = Dir.children("#{store}/builds").flat_map do |key|
        manifest = native.manifest("#{store}/builds/#{key}")
        manifest.paths.each_index.map do |index|
          entry = manifest.entry(index)
          format("%<sha>s-%<mode>o", sha: entry[:sha256], mode: entry[:mode]) if entry[:sha256]
        end
      end
      names.to_h { |name| [name, true] }
    end

    # A first, unmeasured run determines how RubyGems writes specifications.
    def learn(keep)
      restore(keep)
      Peers.aside(@workspace.bundle(:extract))
      @workspace.run(:extract, [Peers.launcher, "install", "--quiet"])
      FileUtils.cp_r("#{@workspace.home(:extract)}/spate/store/v1/checks", "#{keep}/store/v1")
    end

    def restore(keep)
      target = "#{@workspace.home(:extract)}/spate"
      Peers.aside(target)
      FileUtils.cp_r(keep, target, preserve: true)
    end

    # Called before each run, because the previous run rewrote the store's manifests with its own boot id.
    def another_machine(home)
      OtherBoot.begin(@workspace.folder)
      copy_store(home)
    end

    def copy_store(home)
      Peers.aside("#{home}/spate-before")
      File.rename("#{home}/spate", "#{home}/spate-before")
      # Preserves only modes, like the archive of a CI cache.
      system("cp", "-r", "--preserve=mode", "#{home}/spate-before", "#{home}/spate") || raise("no copy of the store")
    end
  end
end
