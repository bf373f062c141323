# frozen_string_literal: true

module Spate
  # One gem, in one version and variant, of a bundle.
  class Package
    autoload :DefaultGems, "spate/package/default_gems"

    # @return [String] the gem's name
    attr_reader :name
    # @return [String] "1.2.3"
    attr_reader :version
    # @return [String] "ruby", "x86_64-linux"
    attr_reader :platform
    # @return [String, nil] see docs/content-addresses.md
    attr_reader :content_address
    # @return [String] "name-version", then "-platform" unless that is "ruby", or "-content_address" if it has one
    attr_reader :full_name
    # @return [Lockfile::GemSource, Lockfile::GitSource, Lockfile::PathSource, Lockfile::PluginSource] of the lockfile
    attr_reader :source
    # @return [Array<String>] names of its runtime dependencies, without Bundler itself
    attr_reader :dependencies
    # @return [Hash{String => String}] algorithm => digest, from the lockfile
    attr_reader :digests
    # @return [Array<String>] full names of the other variants that would run here, the best first
    attr_reader :alternatives

    # @!visibility private
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

    # @return [String, nil] the lockfile's digest, in hex
    def sha256 = @digests["sha256"]
    # @return [Boolean] false if the lockfile has another variant only: this one was chosen from the source's
    def locked? = @locked
    # @return [Boolean] whether it comes from a gem source
    def gem? = source.type == :gem
    # @return [Boolean] whether it comes from a git repository
    def git? = source.type == :git
    # @return [Boolean] whether it is a folder of this machine
    def path? = source.type == :path
    # @return [Boolean] whether the running Ruby includes this very version as a default gem
    def default_gem? = platform == "ruby" && DefaultGems.include?(full_name)
    # @return [String] the full name
    def to_s = full_name
    # @!visibility private
    def inspect = "#<#{self.class} #{full_name}>"
  end
end
