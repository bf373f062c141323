# frozen_string_literal: true

module Spate
  module Profile
    # Finds the gem that owns a file: the one with the longest folder around it.
    class Owners
      OTHERS = ["application", "Ruby's library", "Spate", "elsewhere"].freeze
      # Gems without a loaded specification, like the Bundler that sets up.
      INSTALLED = %r{/(?:gems|bundler/gems)/([^/]+-[^/]+)/}

      # folders: {full_gem_path => full name}; application: its folder.
      def initialize(folders, application)
        require "rbconfig"
        @folders = folders.reject { |path, _| path.empty? }
        ruby = %w[rubylibdir rubyarchdir vendordir].map { |name| RbConfig::CONFIG[name] }
        @others = { application => OTHERS[0], Run::LIBRARY => OTHERS[2] }
        ruby.each { |path| @others[path] ||= OTHERS[1] if path }
        @known = {}
      end

      # "rack-3.0.8", one of OTHERS, nil for no path.
      def of(path)
        return unless path

        @known[path] ||= gem(path) || other(path)
      end

      def gem?(name) = !OTHERS.include?(name)

      private

      def gem(path)
        folder = path
        while (length = folder.rindex("/")) && length > 0
          folder = folder[0, length]
          return @folders[folder] if @folders.key?(folder)
        end
        path[INSTALLED, 1]
      end

      def other(path)
        folder = @others.keys.select { |candidate| path.start_with?("#{candidate}/") }.max_by(&:length)
        @others[folder] || OTHERS.last
      end
    end
  end
end
