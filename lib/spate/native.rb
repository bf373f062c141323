# frozen_string_literal: true

module Spate
  # Loads the C extensions. There are several libraries in spate/native, and each is loaded when one of its constants is
  # first used. So a boot does not load the library for installing, which needs libcrypto. Does not use autoload: a
  # library defines these constants while it is initialized, which would cause a deadlock.
  module Native
    BOOT = %i[
      FILE_CLOCK CompileCache Inputs Loader MARK_BYTES Requirer RACY_NS adopts_orphans? become_idle content_hash crc32c
      doubt judge marks start_apart stat
    ].freeze

    COMPILE = File.expand_path("../../bin/compile", __dir__)
    # A file of precompiled gems, which loads the library for the running Ruby.
    PRECOMPILED = File.expand_path("native/boot.rb", __dir__)

    class << self
      # Whether an error means that a library is missing, or was built for a different Ruby.
      def unbuilt?(error) = error.is_a?(LoadError) && "#{error.path} #{error.message}".match?(%r{spate/native/\w+})

      # The command that fixes this, in a checkout or in an installed gem.
      def remedy
        return "run bin/compile: #{COMPILE}" if File.file?(COMPILE)
        return "gem uninstall spate, then gem install spate --platform ruby" if File.file?(PRECOMPILED)

        "gem pristine spate --extensions"
      end

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
        return require "spate/native/tracer" if name == :Tracer

        require BOOT.include?(name) ? "spate/native/boot" : "spate/native/install"
      end
    end
  end
end
