# frozen_string_literal: true

module Spate
  # The contents of a Gemfile.lock. Read only: Spate never writes a lockfile.
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

    # The file's name as the user knows it, for messages.
    attr_reader :path
    # GemSource, GitSource, PathSource and PluginSource in the order of the file.
    attr_reader :sources
    # Spec in the order of the file; for a duplicate full name, the last one.
    attr_reader :specs
    # Platform, in the order of the file.
    attr_reader :platforms
    # Dependency of the Gemfile in the order of the file.
    attr_reader :dependencies
    # full name => { "sha256" => hex, "sha512" => ... }; {} if the line has no digest. nil without the section. Those
    # of content-addressed gems are beside their address.
    attr_reader :checksums

    # text: the file's content. The block returns the version of RubyGems, whose older ones ignore content addresses; it
    # is called only if there are some. Raises ParseError with the line and a hint.
    def self.parse(text, path: "Gemfile.lock", &rubygems)
      new(path: path, **Parser.new(text, path, &rubygems).parse)
    end

    def initialize(path:, sources:, specs:, platforms:, dependencies:, checksums:)
      @path = path
      @sources = sources
      @specs = specs
      @platforms = platforms
      @dependencies = dependencies
      @checksums = checksums
    end

    # Every variant of the gem: [Spec], in the order of the file.
    def variants(name)
      @by_name ||= @specs.group_by(&:name)
      @by_name[name] || []
    end

    # The digests of one package: { "sha256" => hex }; {} if none is recorded.
    def digests(full_name) = @checksums&.fetch(full_name, nil) || {}
  end
end
