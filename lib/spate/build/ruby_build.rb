# frozen_string_literal: true

module Spate
  module Build
    # The Ruby that extensions are built for.
    class RubyBuild
      # The running Ruby.
      def self.current = @current ||= new

      def initialize(description: RUBY_DESCRIPTION, config_path: Util::Ruby.config_path)
        @description = description
        @config_path = config_path
      end

      # Equal for two Rubies that can load each other's extensions and would build them alike: version, revision,
      # platform, and all of RbConfig (ABI, ENABLE_SHARED, CC, CFLAGS, folders). The parser does not matter.
      def identity
        @identity ||= "#{Util::Ruby.description(@description).sub(" +PRISM", "")}\n" \
                      "#{Store.sha256(@config_path.to_s + config)}"
      end

      private

      def config = @config_path ? File.read(@config_path, encoding: Encoding::UTF_8) : loaded

      # For a Ruby that stores its configuration elsewhere.
      def loaded
        require "rbconfig"
        RbConfig::CONFIG.sort.map { |name, value| "CONFIG[\"#{name}\"] = #{value.inspect}\n" }.join
      end
    end
  end
end
