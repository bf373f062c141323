# frozen_string_literal: true

module Spate
  # The contents of a Gemfile.lock. Read only, since only Bundler writes lockfiles.
  class Lockfile
    autoload :Checksums, "spate/lockfile/checksums"
    autoload :Dependency, "spate/lockfile/spec"
    autoload :GemSource, "spate/lockfile/sources"
    autoload :GitSource, "spate/lockfile/sources"
    autoload :ParseError, "spate/lockfile/parse_error"
    autoload :Parser, "spate/lockfile/parser"
    autoload :PathSource, "spate/lockfile/sources"
    autoload :PluginSource, "spate/lockfile/sources"
    autoload :Preflight, "spate/lockfile/preflight"
    autoload :Sources, "spate/lockfile/sources"
    autoload :Spec, "spate/lockfile/spec"
    autoload :Unreadable, "spate/lockfile/unreadable"

    # @return [String] the file's name as given by the user, for messages
    attr_reader :path
    # @return [Array<GemSource, GitSource, PathSource, PluginSource>] in the order of the file
    attr_reader :sources
    # @return [Array<Spec>] in the order of the file; for a duplicate full name, the last one
    attr_reader :specs
    # @return [Array<Platform>] in the order of the file
    attr_reader :platforms
    # @return [Array<Dependency>] the Gemfile's dependencies, in the order of the file
    attr_reader :dependencies
    # The digests of each gem by algorithm; empty if the gem's line has none. The key is the full name.
    #
    # @return [Hash{String => Hash{String => String}}, nil] nil without the section CHECKSUMS
    attr_reader :checksums

    # Parses a lockfile.
    #
    # @param text [String] the file's content
    # @param path [String] its name, for messages
    # @yieldreturn [String] the version of RubyGems. Only called if there are content addresses, which older versions
    #   ignore
    # @return [Lockfile]
    # @raise [ParseError] with the line and a hint
    def self.parse(text, path: "Gemfile.lock", &rubygems)
      new(path: path, **Parser.new(text, path, &rubygems).parse)
    end

    # @!visibility private
    def initialize(path:, sources:, specs:, platforms:, dependencies:, checksums:)
      @path = path
      @sources = sources
      @specs = specs
      @platforms = platforms
      @dependencies = dependencies
      @checksums = checksums
    end

    # The variants of a gem, in the order of the file.
    #
    # @param name [String]
    # @return [Array<Spec>]
    def variants(name)
      @by_name ||= @specs.group_by(&:name)
      @by_name[name] || []
    end

    # The digests of one package.
    #
    # @param full_name [String]
    # @return [Hash{String => String}] algorithm => hex; empty if none is recorded
    def digests(full_name) = @checksums&.fetch(full_name, nil) || {}
  end
end
