# frozen_string_literal: true

require "fileutils"
require "tmpdir"
require "support/newest_bundler"
require_relative "index_server"
require_relative "measure"

module Benchmark
  # Bundler and Spate change the same lockfile, with separate homes. Both results must be identical.
  class ResolveBenchmark
    SPATE = ["ruby", "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}",
             File.expand_path("../../exe/spate", __dir__)].freeze
    # [title, Bundler's command, Spate's command, whether caches are emptied before each run]
    SCENARIOS = [
      ["update --all, index kept", %w[lock --update], %w[lock --update], false],
      ["update --all, index empty", %w[lock --update], %w[lock --update], true],
      ["lock, nothing to change", %w[lock], %w[lock], false],
      ["outdated", %w[outdated], %w[outdated], false]
    ].freeze

    def initialize(index:, apps:, rounds:, latency:)
      @index = index
      @apps = apps
      @rounds = rounds
      @latency = latency
      @bundler = "#{NewestBundler.fetch}/exe/bundle"
    end

    def run
      server = IndexServer.new(@index, latency: @latency).start
      tables = Dir.mktmpdir("spate-resolve-") { |folder| @apps.map { |app| table(app, folder, server.url) } }
      Table.write("resolve/#{@latency.zero? ? "local" : "#{@latency}ms"}", tables)
    ensure
      server&.stop
    end

    private

    def table(app, folder, url)
      table = Table.new("#{File.basename(app)}, #{@rounds} rounds in turn, latency #{@latency} ms",
                        ["", "Bundler: wall s, median (min-max)", "Spate", "of Bundler", "CPU s: Bundler", "Spate",
                         "of Bundler"])
      SCENARIOS.each { |scenario| table.row(scenario.first, *figures(scenario, app, folder, url)) }
      table.note("CPU: user and system, of all processes. Bundler #{File.basename(File.dirname(@bundler,
                                                                                               2))[/[\d.]+/]}, " \
                 "and Spate runs the same one; the lockfiles are compared after each run")
    end

    def figures(scenario, app, folder, url)
      _, theirs, ours, cold = scenario
      sides = { "bundler" => ["ruby", @bundler, *theirs], "spate" => [*SPATE, *ours] }
      samples = sides.transform_values { [] }
      @rounds.succ.times do |round|
        sides.each do |side, command|
          sample = sample("#{folder}/#{side}", app, url, command, cold, scenario)
          samples[side] << sample if round.positive? # the first round fills the caches
        end
        compare(folder, scenario)
      end
      columns(samples)
    end

    def columns(samples)
      %i[wall cpu].flat_map do |kind|
        values = samples.values.map { |list| list.map(&kind) }
        quotients = values.first.zip(values.last).map { |bundler, spate| spate / bundler }
        [*values.map { |list| Figures.spread(list) }, format("%.3f", Figures.median(quotients))]
      end
    end

    def sample(folder, app, url, command, cold, scenario)
      FileUtils.rm_rf([*("#{folder}/home" if cold), "#{folder}/app"])
      FileUtils.mkdir_p(["#{folder}/home", "#{folder}/app"])
      write(folder, app, url, current: scenario.first.start_with?("lock"))
      # `outdated` exits with status 1 if a gem is outdated.
      command = ["sh", "-c", "\"$@\"; [ $? -le 1 ]", "sh", *command]
      Measure.sample(env(folder), command, "#{folder}/app")
    end

    # current: whether the lockfile is up to date.
    def write(folder, app, url, current:)
      Dir.children(app).each { |name| FileUtils.cp_r("#{app}/#{name}", "#{folder}/app/#{name}") }
      %w[Gemfile Gemfile.lock].each do |name|
        text = File.read("#{app}/#{name}").gsub(%r{__SOURCE__/?}, "#{url}/")
        File.write("#{folder}/app/#{name}", text.sub(/^BUNDLED WITH\n.*\n/, "BUNDLED WITH\n   #{version}\n"))
      end
      return unless current

      lock = (@locks ||= {})[[app, url]] ||= updated(folder)
      File.write("#{folder}/app/Gemfile.lock", lock)
    end

    def updated(folder)
      Measure.sample(env(folder), ["ruby", @bundler, "lock", "--update"], "#{folder}/app")
      File.read("#{folder}/app/Gemfile.lock")
    end

    def version = @bundler[%r{bundler-([\d.]+)/exe}, 1]

    def env(folder)
      home = "#{folder}/home"
      { "HOME" => home, "BUNDLE_USER_HOME" => "#{home}/.bundle", "SPATE_HOME" => "#{home}/spate",
        "SPATE_NO_OWN_CODE" => nil, **NewestBundler.environment }
    end

    def compare(folder, scenario)
      texts = %w[bundler spate].map { |side| File.read("#{folder}/#{side}/app/Gemfile.lock") }
      raise "#{scenario.first}: the lockfiles differ" unless texts.uniq.one?
    end
  end
end
