# frozen_string_literal: true

module Spate
  class Package
    # The gems that are part of Ruby's own installation.
    module DefaultGems
      def self.include?(full_name) = File.file?("#{folder}/#{full_name}.gemspec")

      # The folder of their specifications. From RubyGems if it is loaded, since a distribution may move it.
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
