# frozen_string_literal: true

module Spate
  # Content-addressed ("skinny") gems, introduced in RubyGems 4.1, have an archive for each platform and Ruby version.
  # Their file names contain the first digits of the archive's SHA-256 instead of the platform: "name-1.0-78be552b.gem".
  # Such a gem is for one platform other than `ruby` and for one Ruby version ("~> 3.4.0").
  #
  # @!visibility private
  module ContentAddress
    FORM = /\A[0-9a-f]{8,64}\z/
    # The first RubyGems that supports content addresses. Older versions treat one as a platform.
    SINCE = "4.1.0.a"
    PINNED = /\A~>\s*(\d+)\.(\d+)\.0+\z/

    module_function

    def known_to?(rubygems_version) = GemVersion.new(rubygems_version) >= SINCE

    # Whether a gem for this platform and with these required Ruby versions (["~> 3.4.0"]) may have a content address.
    def eligible?(platform, ruby)
      !platform.nil? && platform != "ruby" && ruby.size == 1 && PINNED.match?(ruby.first)
    end
  end

  # A gem of a bundle, in one version and for one platform.
  class Package
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
    # @return [Lockfile::GemSource, Lockfile::GitSource, Lockfile::PathSource, Lockfile::PluginSource] from the lockfile
    attr_reader :source
    # @return [Array<String>] names of its runtime dependencies, except Bundler
    attr_reader :dependencies
    # @return [Hash{String => String}] algorithm => digest, from the lockfile
    attr_reader :digests
    # @return [Array<String>] full names of other variants that run on this machine, best first
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

    # @return [String, nil] the SHA-256 from the lockfile, in hex
    def sha256 = @digests["sha256"]
    # @return [Boolean] whether the lockfile lists this variant; false if it was chosen from the source's variants
    def locked? = @locked
    # @return [Boolean] whether it comes from a gem source
    def gem? = source.type == :gem
    # @return [Boolean] whether it comes from a git repository
    def git? = source.type == :git
    # @return [Boolean] whether it is in a folder of this machine
    def path? = source.type == :path
    # @return [Boolean] whether the running Ruby includes this version as a default gem
    def default_gem? = platform == "ruby" && DefaultGems.include?(full_name)
    # @return [String] the full name
    def to_s = full_name
    # @!visibility private
    def inspect = "#<#{self.class} #{full_name}>"

    # The default gems of the running Ruby.
    #
    # @!visibility private
    module DefaultGems
      def self.include?(full_name) = File.file?("#{folder}/#{full_name}.gemspec")

      # The folder with the specifications of default gems. Asks RubyGems if it is loaded, since a distribution may use
      # another folder.
      def self.folder
        @folder ||=
          if defined?(Gem.default_specifications_dir)
            Gem.default_specifications_dir
          else
            require "rbconfig"
            config = RbConfig::CONFIG
            "#{config["rubylibprefix"]}/gems/#{config["ruby_version"]}/specifications/default"
          end
      end
    end
  end
end
