# frozen_string_literal: true

module Spate
  module Build
    # Which Ruby extensions are built for. Read from the text of `rbconfig.rb`: loading it costs 3 ms, a third of
    # Ruby's own start.
    class RubyBuild
      # JIT compilers that a flag switched on; the extension does not depend on them.
      JIT = / \+(?:MJIT|YJIT|RJIT|ZJIT|PRISM)(?: [a-z]+)?(?= )/

      # The Ruby that runs.
      def self.current = @current ||= new

      def initialize(description: RUBY_DESCRIPTION, config_path: nil)
        @description = description
        @config_path = config_path
      end

      # Equal for two Rubies that can load each other's extensions and would build them alike: version, revision,
      # platform, and all of RbConfig (ABI, ENABLE_SHARED, CC, CFLAGS, folders).
      def identity
        @identity ||= "#{@description.gsub(JIT, "")}\n#{Store.sha256(config_path.to_s + config)}"
      end

      # A value of RbConfig, e.g. "CC" => "x86_64-linux-gnu-gcc". For who is about to build.
      def [](name)
        require "rbconfig"
        RbConfig::CONFIG[name]
      end

      private

      def config_path
        @config_path ||= begin
          kind, path = $LOAD_PATH.resolve_feature_path("rbconfig")
          path if kind == :rb
        end
      end

      def config
        @config ||= config_path ? File.read(config_path, encoding: Encoding::UTF_8) : loaded
      end

      # A Ruby that keeps its configuration elsewhere.
      def loaded
        require "rbconfig"
        RbConfig::CONFIG.sort.map { |name, value| "CONFIG[\"#{name}\"] = #{value.inspect}\n" }.join
      end
    end
  end
end
