# frozen_string_literal: true

module Spate
  class Lockfile
    # A dependency of a gem or (in the section DEPENDENCIES) of the Gemfile.
    #
    # @!attribute name
    #   @return [String] the gem's name
    # @!attribute requirement
    #   @return [String, nil] as written: "~> 1.2, >= 1.2.1"; nil for any version
    Dependency = Struct.new(:name, :requirement)

    # One variant of one gem.
    class Spec
      # @return [String] the gem's name
      attr_reader :name
      # @return [String] "name-version", then "-platform" unless that is "ruby", or "-content_address" if it has one
      attr_reader :full_name
      # @return [String] as written: "1.2.3"
      attr_reader :version
      # @return [String] as written: "x86_64-linux", "ruby"
      attr_reader :platform
      # @return [Array<Dependency>] dependencies on other gems, in the order of the file
      attr_reader :dependencies
      # @return [GemSource, GitSource, PathSource, PluginSource] the section that lists the gem
      attr_reader :source
      # @return [String, nil] "78be552b"; see docs/content-addresses.md
      attr_reader :content_address

      # @!visibility private
      def initialize(name, version, platform, source)
        @name = name
        @version = version
        @platform = platform
        @source = source
        @dependencies = []
        @full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
      end

      # @!visibility private
      def content_address=(address)
        @content_address = address
        @full_name = "#{name}-#{version}-#{address}"
      end

      # @!visibility private
      def inspect = "#<#{self.class} #{full_name}>"
    end
  end
end
