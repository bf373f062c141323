# frozen_string_literal: true

module Spate
  class Planner
    # The version of the RubyGems that belongs to this Ruby, without loading it.
    module RubygemsVersion
      # -> "3.3.15", or nil where none is found.
      def self.current
        return Gem::VERSION if defined?(Gem::VERSION)

        folder = $LOAD_PATH.find { |path| File.file?("#{path}/rubygems.rb") } or return
        File.read("#{folder}/rubygems.rb")[/^\s*VERSION = "([^"]+)"/, 1]
      end
    end
  end
end
