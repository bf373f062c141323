# frozen_string_literal: true

module Spate
  # One gem, in one version and variant, that a bundle holds.
  class Package
    autoload :DefaultGems, "spate/package/default_gems"

    # version, platform: String ("1.2.3", "ruby", "x86_64-linux"). full_name: "name-version", then "-platform"
    # unless that is "ruby", or "-<content_address>" where it has one (see ContentAddress). source: the lockfile's
    # GemSource, GitSource, PathSource or PluginSource.
    attr_reader :name, :version, :platform, :content_address, :full_name, :source
    # Names (String) of the gems it needs while it runs; Bundler itself left out.
    attr_reader :dependencies
    # Algorithm => digest, as the lockfile records them; {} where it does not.
    attr_reader :digests
    # Full names of the other variants that would run here, the better first.
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
    # False where the lockfile names another variant only: the choice came from what the source offers.
    def locked? = @locked
    def gem? = source.type == :gem
    def git? = source.type == :git
    def path? = source.type == :path
    # Whether the running Ruby brings this very version along as a default gem.
    def default_gem? = platform == "ruby" && DefaultGems.include?(full_name)
    def to_s = full_name
    def inspect = "#<#{self.class} #{full_name}>"
  end
end
