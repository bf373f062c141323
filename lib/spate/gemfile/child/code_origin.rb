# frozen_string_literal: true

require "rbconfig"

module Spate
  module Gemfile
    module Child
      # Whether code, or a file, belongs to the application, to Ruby's library, or to the tools.
      class CodeOrigin
        INTERNAL = %r{\A<internal:(?!/)}
        # A file of RubyGems, in the form that newer Rubies use.
        HIDDEN = %r{\A<internal:(/.+)>\z}
        SPATE = "#{File.expand_path("../../..", __dir__)}/".freeze

        # Prefixes of paths whose files change only with Ruby, RubyGems, Bundler or Spate.
        attr_reader :libraries

        def initialize
          config = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir").compact.map { |path| "#{path}/" }
          bundler = File.dirname(Bundler.method(:setup).source_location.first)
          rubygems = File.dirname(Gem.method(:path).source_location.first)
          @tools = ["#{bundler}/bundler", "#{rubygems}/rubygems", "#{bundler}/rubygems", SPATE]
          @library = config + RbConfig::CONFIG.values_at("vendordir", "sitedir").compact.map { |path| "#{path}/" }
          @libraries = [*config, *@tools]
          @specifications = Gem.path.map { |path| "#{path}/specifications/" }
          @kinds = {}
        end

        # :own (the application's, or a gem's), :library (Ruby's, which acts for its caller), :tool (Bundler, RubyGems,
        # texts of installed specifications, Spate). A nil path, at the start of a fiber, counts as the application's.
        def kind(path) = @kinds[path] ||= sort(path.to_s)

        # Whether a file's content can differ only between machines.
        def file?(path) = kind(path) != :own

        # The path on whose behalf Ruby's library runs: the first outside it; nil while the library is being loaded.
        def caller_path(locations)
          frame = locations.find do |one|
            place = one.absolute_path || one.path
            kind(place) != :library || one.base_label.match?(LOADING)
          end
          path = frame && (frame.absolute_path || frame.path).to_s
          path unless path.nil? || kind(path) == :library
        end

        # Whether the caller is the application.
        def own_caller?(locations) = caller_path(locations)&.then { |path| kind(path) == :own } || false

        LOADING = /\A<(?:top|main|class:|module:)/

        private

        def sort(path)
          path = path[HIDDEN, 1] || path
          if path.match?(INTERNAL) then :library
          elsif [*@tools, *@specifications].any? { |folder| path.start_with?(folder) } then :tool
          elsif @library.any? { |folder| path.start_with?(folder) } then :library
          else
            :own
          end
        end
      end
    end
  end
end
