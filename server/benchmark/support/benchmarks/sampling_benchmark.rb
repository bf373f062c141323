# frozen_string_literal: true

require_relative "serve_benchmark"

# Measures the overhead of profiling: small requests without a profiler and with stackprof.
class SamplingBenchmark < ServeBenchmark
  RESULTS = File.expand_path("../../results/sampling.md", __dir__)

  # spate-serve with --profile.
  class Sampled < SpateServe
    attr_reader :name

    def initialize(name, *options)
      super()
      @name = name
      @options = options
    end

    def missing(workload) = super || (GemPeers.missing if @options.include?("stackprof"))

    def command(workload, port)
      _, words = super
      profile = @options.empty? ? [] : ["--profile", File.join(workload.folder, "sampled.json"), *@options]
      [GemPeers.missing ? {} : GemPeers.gem_path, words + profile]
    end
  end

  # Requests small files with each configuration.
  class Sampling < SmallFiles
    COUNT = 50_000

    def key = "sampling"
    def title = "Small static files under a profiler"
    def reference = "spate-serve alone"
    def goal = nil

    def contestants
      [Sampled.new("spate-serve alone"), Sampled.new("stackprof, 1000 a second", "--profiler", "stackprof"),
       Sampled.new("stackprof, 100 a second", "--profiler", "stackprof", "--profile-rate", "100")]
    end

    private

    def count = [(COUNT * @scale).round, 100].max
  end

  private

  def rows(folder) = [Sampling.new(folder, scale: @scale, servers: @servers)]

  def options
    @results = RESULTS
    super
  end

  def versions = { "stackprof" => GemPeers.version("stackprof") }
end
