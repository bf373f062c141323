# frozen_string_literal: true

module Spate
  class Lockfile
    # A dependency of a gem, or (in DEPENDENCIES) of the Gemfile. requirement: "~> 1.2, >= 1.2.1" as written, nil for
    # any version.
    Dependency = Struct.new(:name, :requirement)

    # One variant of one gem. version and platform: String as written ("1.2.3", "x86_64-linux", "ruby").
    # dependencies: [Dependency]. content_address: "78be552b" or nil, see ContentAddress.
    class Spec
      attr_reader :name, :version, :platform, :dependencies, :source, :full_name, :content_address

      def initialize(name, version, platform, source)
        @name = name
        @version = version
        @platform = platform
        @source = source
        @dependencies = []
        @full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
      end

      def content_address=(address)
        @content_address = address
        @full_name = "#{name}-#{version}-#{address}"
      end

      def inspect = "#<#{self.class} #{full_name}>"
    end
  end
end
