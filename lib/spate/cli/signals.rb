# frozen_string_literal: true

module Spate
  module CLI
    # Ctrl-C and SIGTERM end a run in order: the C core is told to stop, then Interrupt goes up the main thread so that
    # every `ensure` on the way cleans up. One that must not be cut short itself masks ::Interrupt while it cleans. A
    # second signal ends at once. What was cut short may raise what it likes: RubyGems calls an interrupted `require` a
    # fault of its own.
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
        Thread.list.each { |thread| thread.report_on_exception = false } # what ends in them is this, and told once
        Thread.main.raise(::Interrupt, "SIG#{name}") # a plain raise in a trap heeds no mask
      end
      private_class_method :interrupt

      # Whether it is loaded: a trap is no place to load an extension.
      def self.core?
        ::Spate.const_defined?(:Native) && !::Spate.autoload?(:Native) &&
          ::Spate::Native.singleton_class.method_defined?(:cancel=, false)
      end
      private_class_method :core?
    end
  end
end
