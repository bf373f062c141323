# frozen_string_literal: true

require "rbconfig"
require "spate/zlib"

module Spate
  # Replaces Ruby's own Zlib in the whole program: Net::HTTP, RubyGems and Rack::Deflater then use this one.
  #
  #   ruby -r spate/zlib/global program.rb
  module Zlib
    class << self
      # @return [Module, nil] Ruby's own Zlib module; nil if it was not loaded
      attr_reader :replaced

      private

      def replace
        return if defined?(::Zlib) && ::Zlib.equal?(self)

        @replaced = ::Zlib if Object.const_defined?(:Zlib)
        Object.send(:remove_const, :Zlib) if @replaced
        Object.const_set(:Zlib, self)
        keep_out
      end

      # A later `require "zlib"` would define Ruby's own methods in this module, on foreign memory. So the library is
      # marked as loaded, by name for `require`, and by path for code that searches the load path itself.
      def keep_out
        name = "zlib.#{RbConfig::CONFIG["DLEXT"]}"
        path = $LOAD_PATH.resolve_feature_path("zlib")&.last
        [name, path].compact.each { |feature| $LOADED_FEATURES << feature unless $LOADED_FEATURES.include?(feature) }
      end
    end

    replace
  end
end
