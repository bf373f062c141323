# frozen_string_literal: true

require "rbconfig"

module Spate
  module Gemfile
    module Child
      # Files that change only with the machine's Ruby, RubyGems or Bundler, or that Spate brought itself.
      class Foreign
        # Of Bundler's files these read the environment because the Gemfile says so.
        ON_BEHALF = %r{/bundler/(dependency|current_ruby)\.rb\z}

        def initialize
          config = RbConfig::CONFIG.values_at("rubylibdir", "rubyarchdir", "vendordir", "sitedir")
          @bundler = "#{File.dirname(Bundler.method(:setup).source_location.first)}/"
          @code = [@bundler, *config.compact.map { |path| "#{path}/" }, "#{File.expand_path("../../..", __dir__)}/"]
          @library = config.values_at(0, 1).compact.map { |path| "#{path}/" }
          @kinds = {}
          @rubygems = "#{File.dirname(Gem.method(:path).source_location.first)}/"
          @files = [*@code, *specifications, *Bundler.settings.then { bundler_files }]
        end

        # Whether a file's content cannot differ without the machine differing.
        def file?(path)
          @files.any? { |folder| path.start_with?(folder) }
        end

        # Whether code at this path reads for itself, not for the Gemfile. Ruby's own methods have no path.
        def code?(path)
          return true if path.nil? || path.start_with?("<internal:")

          (path.start_with?(@bundler) && !ON_BEHALF.match?(path)) || path.start_with?(@rubygems) ||
            path.start_with?(__dir__)
        end

        # Whose code is at this path: :own (the application's, or a gem's), :library (Ruby's own, which reads for who
        # calls it), :foreign (Bundler, RubyGems, texts of installed specifications, Spate).
        def kind(path)
          @kinds[path] ||=
            if path.match?(Calls::INTERNAL) then :library
            elsif @library.any? { |folder| path.start_with?(folder) } && !path.start_with?(@bundler, @rubygems) &&
                  !path.include?("/rubygems")
              :library
            elsif code?(path) || file?(path) then :foreign
            else
              :own
            end
        end

        private

        # Stubs of installed gems: what a folder of them holds is told by its names.
        def specifications
          Gem.path.flat_map { |path| ["#{path}/specifications/", "#{path}/specifications/default/"] }
        end

        # Settings are in the memory's key.
        def bundler_files
          [Bundler.app_config_path.join("config"), Bundler.user_bundle_path.join("config"), "/dev/null"].map(&:to_s)
        end
      end
    end
  end
end
