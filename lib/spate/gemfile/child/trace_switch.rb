# frozen_string_literal: true

module Spate
  module Gemfile
    module Child
      # Decides when calls are traced. Bundler makes hundreds of thousands itself, which are irrelevant, and tracing one
      # costs as much as making it: so not before code of the application runs, nor while Bundler or RubyGems run on its
      # behalf, nor afterwards.
      class TraceSwitch
        # Number of calls by Bundler or RubyGems after which the stack is inspected.
        PATIENCE = 256

        # calls: TracePoint. always: whether calls are always traced.
        def initialize(origin, calls, always:)
          @origin = origin
          @calls = calls
          @always = always
          @returns = {}
        end

        # While the block runs. compiled: called with the instructions of each of the application's scripts, returns
        # whether calls must always be traced from now on.
        def pay(compiled)
          # Stays enabled: code compiled in between may be called later.
          @scripts ||= TracePoint.new(:script_compiled) { |point| script(point, compiled) }
          @scripts.enable unless @scripts.enabled?
          # A fiber may be left before the method it called returns.
          fibers = TracePoint.new(:fiber_switch) { wake }.tap(&:enable)
          wake if @always
          yield
        ensure
          fibers&.disable
          @calls.disable
        end

        # A call by Bundler or RubyGems.
        def passed
          return if (@passed += 1) < @patience || @always

          @patience *= 2
          @calls.disable if caller_locations.none? { |one| own?(one) }
        end

        # Until the method that the application called returns or calls back. If a method is not found by its name, its
        # return could not be traced.
        def leave(point)
          method = Kernel.instance_method(:method).bind_call(point.self, point.callee_id)
          return if @always || method.source_location != [point.path, point.lineno]

          @returns[method.unbind] ||= TracePoint.new(:return) { returned }.tap { |one| one.enable(target: method) }
          @calls.disable
        rescue NameError
          nil
        end

        private

        # Text that the application evaluates is its own, under any name.
        def script(point, compiled)
          sequence = point.instruction_sequence
          return unless own?(sequence) || (point.eval_script && own?(caller_locations(2, 1).first))

          wake
          entered(sequence)
          @always = true if compiled.call(sequence)
        end

        # Lines, too: a stack overflow unwinds without any event.
        def entered(sequence)
          TracePoint.new(:call, :b_call, :line) { wake }.enable(target: sequence)
        rescue ArgumentError
          nil # it is empty
        end

        def returned
          caller = caller_locations(3, 1).first
          wake unless caller && @origin.kind(caller.path) == :tool
        end

        def wake
          @passed = 0
          @patience = PATIENCE
          @calls.enable unless @calls.enabled?
        end

        def own?(place) = @origin.kind(place.path) == :own
      end
    end
  end
end
