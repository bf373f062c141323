# frozen_string_literal: true

require "support/apps"
require "support/boot_gemfile"
require "support/gem_source"
require "support/peers"

module Benchmark
  # One application of the benchmark: its archives, a local gem source, and for each tool a copy of the application with
  # a separate HOME.
  class AppWorkspace
    LATENCY_MS = 50
    BANDWIDTH = 25_000_000 # bytes per second for each connection: 200 Mbit/s

    attr_reader :name, :folder

    def initialize(name)
      @name = name
      @folder = File.join(Peers::WORK, name)
      FileUtils.mkdir_p(@folder)
    end

    # Fetches every archive once from the machine's gem source, with an install that is not measured.
    def prepare
      return if File.exist?("#{archives}/.complete")

      FileUtils.mkdir_p(archives)
      seed
      run(:seed, [Peers.launcher, "install", "--quiet"], app: "#{folder}/seed")
      Dir.glob("#{folder}/seed/vendor/bundle/ruby/*/cache/*.gem") { |path| FileUtils.cp(path, archives) }
      FileUtils.touch("#{archives}/.complete")
    end

    def archives = File.join(folder, "archives")
    def archive_files = Dir.glob("#{archives}/*.gem").sort

    # The gem source of all measured runs: on the loopback interface, with the latency and bandwidth of a real
    # connection.
    def source
      @source ||= GemSource.spawn(folder: archives, latency_ms: LATENCY_MS, bandwidth: BANDWIDTH)
    end

    def stop = @source&.stop

    # A copy for one tool: [folder, environment]. vendored: whether all archives are in vendor/cache.
    def app(tool, vendored: false)
      target = File.join(folder, tool.to_s)
      (@apps ||= {})[tool] ||= copy(target, tool)
      Peers.aside("#{target}/vendor/cache") unless vendored
      vendor(target) if vendored && !File.directory?("#{target}/vendor/cache")
      [target, env(tool)]
    end

    def home(tool) = File.join(folder, "#{tool}-home")
    def env(tool) = Peers.clean_env(home(tool))
    def bundle(tool) = File.join(folder, tool.to_s, "vendor/bundle")

    # Not measured. If the command fails, raises an error with its output.
    def run(tool, command, app: File.join(folder, tool.to_s), **more)
      FileUtils.mkdir_p(home(tool))
      Measure.sample(env(tool).merge(more.transform_keys(&:to_s)), command, app)
    end

    private

    # "large" is generated, and locked only once.
    def seed
      target = FileUtils.mkdir_p("#{folder}/seed").first
      return Spate::TestApps.copy(name, target) unless name == "large"

      File.write("#{target}/Gemfile", BootGemfile.large)
      run(:seed, Peers.bundler_command("lock"), BUNDLE_FROZEN: nil)
    end

    # Copied again in each run of the benchmark, because the port of the source changes.
    def copy(target, tool)
      FileUtils.mkdir_p([home(tool), target])
      address = source.url.delete_suffix("/")
      return Spate::TestApps.copy(name, target, source: address) unless name == "large"

      %w[Gemfile Gemfile.lock].each do |file|
        File.write("#{target}/#{file}", File.read("#{folder}/seed/#{file}").gsub(Spate::TestApps.source, address))
      end
    end

    def vendor(target)
      FileUtils.mkdir_p("#{target}/vendor/cache")
      archive_files.each { |path| FileUtils.ln(path, "#{target}/vendor/cache/") }
    end
  end
end
