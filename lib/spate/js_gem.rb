# frozen_string_literal: true

module Spate
  # Finds the gem spate-js, which restores node_modules. It must have the same version as this gem.
  module JSGem
    NAME = "spate-js"
    ROOT = File.dirname(__FILE__, 3)

    class << self
      # The lib folder of spate-js if it is in this checkout or installed next to this gem; otherwise nil.
      def beside
        return @beside if defined?(@beside)

        @beside = ["#{ROOT}/js/lib", File.expand_path("../#{NAME}-#{VERSION}/js/lib", ROOT)]
                  .find { |path| File.directory?(path) }
      end

      # Adds spate-js to $LOAD_PATH. Returns whether it is installed.
      def activate
        return @activate if defined?(@activate)

        path = beside || other
        $LOAD_PATH.unshift(path) unless path.nil? || $LOAD_PATH.include?(path)
        @activate = !path.nil?
      end

      private

      # The lib folder of spate-js if RubyGems finds it in a different folder of gems.
      def other
        require "rubygems"
        File.join(Gem::Specification.find_by_name(NAME, VERSION).full_gem_path, "js/lib")
      rescue Gem::MissingSpecError
        nil
      end
    end
  end
end
