# frozen_string_literal: true

require "rbconfig"
require "spate/zlib"

module Spate
  # Takes the place of Ruby's own Zlib in the whole program: Net::HTTP, RubyGems, Rack::Deflater then use this one.
  #
  #   ruby -r spate/zlib/global program.rb
  module Zlib
    class << self
      # What took Ruby's own out of the way, for whoever needs it: nil where it was not loaded.
      attr_reader :replaced

      private

      def replace
        return if defined?(::Zlib) && ::Zlib.equal?(self)

        @replaced = ::Zlib if Object.const_defined?(:Zlib)
        Object.send(:remove_const, :Zlib) if @replaced
        Object.const_set(:Zlib, self)
        keep_out
      end

      # A later `require "zlib"` would define Ruby's own methods in this module, over memory that is not theirs. By its
      # name for `require`, by its path for what looks along the load path itself.
      def keep_out
        name = "zlib.#{RbConfig::CONFIG["DLEXT"]}"
        path = $LOAD_PATH.resolve_feature_path("zlib")&.last
        [name, path].compact.each { |feature| $LOADED_FEATURES << feature unless $LOADED_FEATURES.include?(feature) }
      end
    end

    replace
  end
end
