# frozen_string_literal: true

module Spate
  module CLI
    # Ctrl-C and SIGTERM end a run in order: the C core is told to stop, then Interrupt is raised in the main thread so
    # that every `ensure` cleans up. Cleanup that must not be interrupted masks ::Interrupt. A second signal ends the
    # process at once. The interrupted code may replace the Interrupt by any error: RubyGems reports an interrupted
    # `require` as an error of its own.
    module Signals
      NAMES = %w[INT TERM].freeze

      def self.guard
        came = nil
        previous = NAMES.to_h { |name| [name, Signal.trap(name) { interrupt(came = name) }] }
        yield
      rescue StandardError, ScriptError
        raise unless came

        raise ::Interrupt, "SIG#{came}"
      ensure
        previous&.each { |name, handler| Signal.trap(name, handler || "DEFAULT") }
      end

      def self.interrupt(name)
        NAMES.each { |each| Signal.trap(each, "DEFAULT") }
        ::Spate::Native.cancel = true if core?
        Thread.list.each { |thread| thread.report_on_exception = false } # the main thread reports the error, once
        Thread.main.raise(::Interrupt, "SIG#{name}") # a plain raise in a trap ignores masks
      end
      private_class_method :interrupt

      # Whether the core is loaded: a trap must not load an extension.
      def self.core?
        ::Spate.const_defined?(:Native) && !::Spate.autoload?(:Native) &&
          ::Spate::Native.singleton_class.method_defined?(:cancel=, false)
      end
      private_class_method :core?
    end
  end
end
