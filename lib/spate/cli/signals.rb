# frozen_string_literal: true

module Spate
  module CLI
    # Handles Ctrl-C and SIGTERM: cancels operations of the C core, then raises Interrupt in the main thread, so that
    # each `ensure` cleans up. Cleanup that must not be interrupted masks ::Interrupt. A second signal kills the
    # process. The interrupted code may convert the Interrupt to another error, as RubyGems does in `require`; `guard`
    # raises an Interrupt again.
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
        Thread.main.raise(::Interrupt, "SIG#{name}") # a plain `raise` in a trap ignores masks
      end
      private_class_method :interrupt

      # Whether the C core is loaded. A trap must not load an extension.
      def self.core?
        ::Spate.const_defined?(:Native) && !::Spate.autoload?(:Native) &&
          ::Spate::Native.singleton_class.method_defined?(:cancel=, false)
      end
      private_class_method :core?
    end
  end
end
