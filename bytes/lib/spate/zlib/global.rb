# frozen_string_literal: true

require "rbconfig"
require "spate/zlib"

module Spate
  # Replaces Ruby's Zlib in the whole program. Net::HTTP, RubyGems and Rack::Deflater then use Spate::Zlib.
  #
  #   ruby -r spate/zlib/global program.rb
  module Zlib
    class << self
      # @return [Module, nil] Ruby's Zlib module; nil if it was not loaded
      attr_reader :replaced

      private

      def replace
        return if defined?(::Zlib) && ::Zlib.equal?(self)

        @replaced = ::Zlib if Object.const_defined?(:Zlib)
        Object.send(:remove_const, :Zlib) if @replaced
        Object.const_set(:Zlib, self)
        keep_out
      end

      # Marks Ruby's zlib library as loaded, by name for `require` and by path for code that searches the load path
      # itself. A later `require "zlib"` would define Ruby's methods in this module, where they would access foreign
      # memory.
      def keep_out
        name = "zlib.#{RbConfig::CONFIG["DLEXT"]}"
        path = $LOAD_PATH.resolve_feature_path("zlib")&.last
        [name, path].compact.each { |feature| $LOADED_FEATURES << feature unless $LOADED_FEATURES.include?(feature) }
      end
    end

    replace
  end
end
