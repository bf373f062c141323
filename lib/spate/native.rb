# frozen_string_literal: true

module Spate
  # What the C extensions define: each concern its own library under spate/native, loaded when something of it is first
  # named, so that a boot does without what installing needs (libcrypto). No autoload: the libraries' own start defines
  # what would then be waited for.
  module Native
    BOOT = %i[Image Loader Requirer content_hash stat].freeze

    class << self
      private

      def const_missing(name)
        load_library(name)
        const_defined?(name, false) ? const_get(name, false) : super
      end

      def method_missing(name, ...)
        load_library(name)
        singleton_class.method_defined?(name, false) ? public_send(name, ...) : super
      end

      def respond_to_missing?(name, _all = false)
        load_library(name)
        singleton_class.method_defined?(name, false)
      end

      def load_library(name)
        require BOOT.include?(name) ? "spate/native/boot" : "spate/native/install"
      end
    end
  end
end
