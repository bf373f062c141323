# frozen_string_literal: true

module Spate
  # One gem, in one version and variant, of a bundle.
  class Package
    autoload :DefaultGems, "spate/package/default_gems"

    # version, platform: String ("1.2.3", "ruby", "x86_64-linux"). full_name: "name-version", then "-platform"
    # unless that is "ruby", or "-<content_address>" if it has one (see ContentAddress). source: the lockfile's
    # GemSource, GitSource, PathSource or PluginSource.
    attr_reader :name, :version, :platform, :content_address, :full_name, :source
    # Names (String) of its runtime dependencies, without Bundler itself.
    attr_reader :dependencies
    # Algorithm => digest, from the lockfile; {} without.
    attr_reader :digests
    # Full names of the other variants that would run here, the best first.
    attr_reader :alternatives

    def initialize(name:, version:, platform:, source:, content_address: nil, dependencies: [], digests: {},
                   alternatives: [], locked: true)
      @name = name
      @version = version
      @platform = platform
      @content_address = content_address
      suffix = content_address || (platform unless platform == "ruby")
      @full_name = suffix ? "#{name}-#{version}-#{suffix}" : "#{name}-#{version}"
      @source = source
      @dependencies = dependencies
      @digests = digests
      @alternatives = alternatives
      @locked = locked
    end

    # Hex, or nil.
    def sha256 = @digests["sha256"]
    # False if the lockfile has another variant only: this one was chosen from the source's.
    def locked? = @locked
    def gem? = source.type == :gem
    def git? = source.type == :git
    def path? = source.type == :path
    # Whether the running Ruby includes this very version as a default gem.
    def default_gem? = platform == "ruby" && DefaultGems.include?(full_name)
    def to_s = full_name
    def inspect = "#<#{self.class} #{full_name}>"
  end
end
