# frozen_string_literal: true

require "rubygems/package"
require "support/measure"
require "support/app_workspace"

module Benchmark
  # Changes the version of one gem in a bundle. Bundler checks the new lockfile, Spate fetches this gem and copies all
  # other gems from the store.
  class ContainersBenchmark
    COMMAND = %w[install --quiet --copy --compile-cache off].freeze
    GOAL = 5 # seconds

    def initialize(app:, rounds:)
      @workspace = AppWorkspace.new(app)
      @rounds = rounds
      @folder = "#{@workspace.folder}/containers"
      @app = "#{@folder}/app"
      @spate = "#{@folder}/home/spate"
      @env = Peers.clean_env("#{@folder}/home")
    end

    def run
      Peers.aside(@folder)
      @workspace.prepare
      prepare
      Table.write("containers", [table])
    ensure
      @source&.stop
      Peers.empty_trash
    end

    private

    def prepare
      FileUtils.mkdir_p(["#{@folder}/gems", File.dirname(@spate)])
      @workspace.archive_files.each { |path| FileUtils.ln(path, "#{@folder}/gems") }
      changed = change
      @source = GemSource.spawn(folder: "#{@folder}/gems", latency_ms: AppWorkspace::LATENCY_MS,
                                bandwidth: AppWorkspace::BANDWIDTH)
      Spate::TestApps.copy(@workspace.name, @app, source: @source.url.delete_suffix("/"))
      @lockfile = File.read("#{@app}/Gemfile.lock")
      @changed = @lockfile.sub("    #{@name} (#{@version})", "    #{@name} (#{changed})")
      fill
    end

    # Repackages a gem as a later version, and returns that version. Chooses a pure-Ruby gem whose exact version no
    # other gem requires.
    def change
      package = @workspace.archive_files.lazy.map { |path| Gem::Package.new(path) }.find { |one| free?(one.spec) }
      spec = package.spec
      @name = spec.name
      @version = spec.version.to_s
      package.extract_files("#{@folder}/gem")
      spec.version = "#{spec.version}.1"
      Dir.chdir("#{@folder}/gem") { Gem::Package.build(spec, true, false, "#{@folder}/gems/#{spec.full_name}.gem") }
      spec.version
    end

    def free?(spec)
      spec.extensions.empty? && spec.platform == "ruby" && spec.required_ruby_version.satisfied_by?(Gem.ruby_version) &&
        !File.read("#{Spate::TestApps::FOLDER}/#{@workspace.name}/Gemfile.lock").include?("  #{spec.name} (= ")
    end

    # Creates the store of the previous layer, including the compile cache of Spate's own code.
    def fill
      FileUtils.cp_r("#{@workspace.home(:seed)}/spate", @spate, preserve: true)
      Measure.sample(@env.merge("CI" => nil), [Peers.launcher, *COMMAND], @app)
      sleep 0.1 until Dir.glob("#{@spate}/store/v1/compile-cache/own/*.compiled").any?
      File.rename(@spate, "#{@folder}/kept")
    end

    def table
      rows = [row("one gem changed", @changed, 1), row("the same lockfile", @lockfile, 0)]
      Measure.interleave(rows, @rounds)
      table = Table.new("#{@workspace.name}: a layer made again, the store in a cache mount, #{@rounds} rounds",
                        ["", "wall s", "user + sys s"])
      rows.each { |row| table.row(row.name, *%i[wall cpu].map { |one| Figures.spread(row.samples.map(&one)) }) }
      met = Figures.median(rows.first.samples.map(&:wall)) <= GOAL
      table.note("#{@name} #{@version}, of #{@workspace.archive_files.size} gems, is a later one; interleaved; " \
                 "the source has #{AppWorkspace::LATENCY_MS} ms of latency")
           .note(Goals.words([["at most #{GOAL} s", met]]))
    end

    def row(name, lockfile, fetched)
      before = -> { layer(lockfile) }
      Measure::Row.new(name: name, env: @env, command: [Peers.launcher, *COMMAND], folder: @app, before: before,
                       check: -> { prove(fetched) })
    end

    def layer(lockfile)
      [@spate, "#{@app}/vendor"].each { |path| Peers.aside(path) }
      FileUtils.cp_r("#{@folder}/kept", @spate, preserve: true)
      File.write("#{@app}/Gemfile.lock", lockfile)
      @source.requests # also clears the list of requests
    end

    def prove(fetched)
      gems = @source.requests.grep(%r{/gems/}).size
      abort "#{gems} gems were fetched instead of #{fetched}" unless gems == fetched
      Measure.sample(@env, Peers.bundler_command("check"), @app)
    end
  end
end
