# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"
require "tmpdir"

# Installs falcon and puma with Bundler, in the latest versions that support this Ruby and from the gem source of `gem`.
# The folder is outside the project and is reused by later runs.
module GemPeers
  CACHE = [ENV["XDG_CACHE_HOME"], "#{ENV["HOME"]}/.cache", Dir.tmpdir].find do |path|
    path.to_s.match?(%r{\A/(?!\.cache)})
  end
  HOME = ENV["SPATE_BENCHMARK_GEMS"] || File.join(CACHE, "spate-benchmark", "serve-#{RUBY_VERSION}")
  GEMS = %w[falcon puma rack rackup stackprof].freeze
  SECONDS = 300

  class << self
    # The reason why the gems are missing, or nil.
    def missing = @tried ? @missing : try

    # Environment variables for Process.spawn.
    def environment
      { "BUNDLE_GEMFILE" => File.join(HOME, "Gemfile"), "BUNDLE_PATH" => File.join(HOME, "bundle"),
        "BUNDLE_APP_CONFIG" => File.join(HOME, "config"), "RUBYOPT" => nil, "RUBYLIB" => nil,
        "RACK_ENV" => "production", "GEM_HOME" => nil, "GEM_PATH" => nil }
    end

    # Environment variables for a program without a bundle that needs rack.
    def gem_path = { "GEM_PATH" => Dir[File.join(HOME, "bundle", "ruby", "*")].first }

    # Environment variables for a program that is profiled with stackprof. Raises RuntimeError if the gems are missing.
    def stackprof = missing ? raise(missing) : gem_path

    def version(name) = File.read(File.join(HOME, "Gemfile.lock"))[/^    #{name} \(([^)]+)\)/, 1]

    private

    def try
      @tried = true
      FileUtils.mkdir_p(HOME)
      gemfile = "source #{Gem.sources.to_a.first.to_s.inspect}\n#{GEMS.map { |name| "gem #{name.inspect}\n" }.join}"
      File.write(File.join(HOME, "Gemfile"), gemfile)
      return if system(environment, *bundle("check"), %i[out err] => File::NULL)

      output, status = Open3.capture2e(environment, "timeout", SECONDS.to_s, *bundle("install"))
      @missing = status.success? ? nil : "falcon and puma could not be installed: #{output.lines.last.to_s.strip}"
    end

    def bundle(*words) = [RbConfig.ruby, "-S", "bundle", *words]
  end
end
