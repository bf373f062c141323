# frozen_string_literal: true

# Loaded first in the process to profile. Records the times of each require, load, initializer and part of Spate's own
# start, and writes them to a file when the process ends. Core Ruby only. Environment variables contain the path of the
# file (SPATE_PROFILE) and the time when the process was started (SPATE_PROFILE_START, nanoseconds of the monotonic
# clock).
module Spate
  module Profile
    # A frame is an Array with these indexes. Times are in nanoseconds: the monotonic clock, CPU time of the whole
    # process, and total time of garbage collection since the process started.
    module Probe
      PARENT, KIND, NAME, PATH, ENTERED, CPU, GC_ENTERED, FOUND, GC_FOUND, CODE, GC_CODE, LEFT, CPU_LEFT, GC_LEFT,
        SERVED = *0..14
      STACK = :spate_profile

      # Hooks into loading the code of each file. It must be the outermost hook, so when another hook is prepended, a
      # copy of this one is prepended too.
      module Code
        def load_iseq(path)
          frame = Thread.current[STACK]&.last
          return defined?(super) ? super : nil unless frame && !frame[FOUND]

          frame[FOUND] = Probe.now
          frame[GC_FOUND] = GC.total_time
          (defined?(super) ? super : nil).tap { |code| frame[SERVED] = !code.nil? }
        end
      end

      class << self
        def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

        def start(file)
          @file = file
          @process = Process.pid
          @began = now
          @frames = []
          @calls = 0
          @marks = {}
          wrap_kernel
          top
          @trace = TracePoint.new(:script_compiled) { |point| compiled(point) }
          @trace.enable
          at_exit { finish }
        end

        # Records a frame for the block. loads: whether the block loads files; it then returns whether it loaded one.
        def span(kind, name, loads: false)
          stack = (Thread.current[STACK] ||= [])
          @calls += 1
          frame = [stack.last, kind, name, nil, now, cpu, GC.total_time]
          @frames << frame
          stack << frame
          answer = nil
          begin
            answer = yield
          ensure
            leave(stack, frame, !loads || answer)
          end
        end

        # Records the time of the first call with this name.
        def mark(name) = @marks[name] ||= now

        private

        def cpu = Process.clock_gettime(Process::CLOCK_PROCESS_CPUTIME_ID, :nanosecond)

        def leave(stack, frame, keep)
          stack.pop until stack.empty? || stack.last.equal?(frame)
          stack.pop
          return @frames.pop if !keep && !frame[FOUND] && @frames.last.equal?(frame) # nothing was loaded

          frame[LEFT] = now
          frame[CPU_LEFT] = cpu
          frame[GC_LEFT] = GC.total_time
          frame[PATH] ||= $LOADED_FEATURES.last if frame[KIND] == :require && keep
          extend_program(frame[PATH]) if frame[PATH]
        end

        def compiled(point)
          frame = Thread.current[STACK]&.last
          return if frame.nil? || frame[CODE] || point.eval_script || !%i[require load].include?(frame[KIND])

          frame[CODE] = now
          frame[GC_CODE] = GC.total_time
          frame[PATH] = point.instruction_sequence.absolute_path
          top unless frame[FOUND]
        end

        def top
          RubyVM::InstructionSequence.singleton_class.prepend(Code.dup)
        end

        # Wraps Kernel's original require and load, which RubyGems and Zeitwerk call. Spate replaces only the aliases.
        def wrap_kernel
          verbose = $VERBOSE
          $VERBOSE = nil
          lowest = Kernel.private_method_defined?(:gem_original_require) ? :gem_original_require : :require
          wrap(Kernel, lowest, :spate_profile_require)
          wrap(Kernel.singleton_class, :require, :spate_profile_require_too)
          wrap_load(Kernel, :spate_profile_load)
          wrap_load(Kernel.singleton_class, :spate_profile_load_too)
          wrap_relative
        ensure
          $VERBOSE = verbose
        end

        def wrap(owner, name, original)
          owner.alias_method(original, name)
          owner.define_method(name) do |path|
            Probe.span(:require, path, loads: true) { __send__(original, path) }
          end
          owner.send(:private, name, original) if owner == Kernel
        end

        def wrap_load(owner, original)
          owner.alias_method(original, :load)
          owner.define_method(:load) do |*arguments|
            Probe.span(:load, arguments.first) { __send__(original, *arguments) }
          end
          owner.send(:private, :load, original) if owner == Kernel
        end

        # Replaces require_relative. Ruby's method would resolve the path relative to the probe's file if it were
        # wrapped.
        def wrap_relative
          Kernel.define_method(:require_relative) do |path|
            from = caller_locations(1, 1).first
            full = File.expand_path(path, File.dirname(from.absolute_path || from.path))
            Probe.span(:require, full, loads: true) { __send__(:spate_profile_require, full) }
          end
          Kernel.send(:private, :require_relative)
        end

        # Adds hooks to a library after its file was loaded.
        def extend_program(path)
          case path
          when %r{/rails/initializable\.rb\z} then initializers
          when %r{/active_support/lazy_load_hooks\.rb\z} then load_hooks
          when %r{/zeitwerk/loader/eager_load\.rb\z} then around(::Zeitwerk::Loader::EagerLoad, :eager_load)
          when %r{/spate/boot/session\.rb\z} then parts
          end
        end

        def initializers
          return unless defined?(::Rails::Initializable::Initializer)

          ::Rails::Initializable::Initializer.prepend(Module.new do
            def run(...)
              where = @block&.source_location&.first
              Probe.span(:initializer, "#{name} (#{where && File.basename(where)})") do
                Probe.of(where)
                super
              end
            end
          end)
        end

        def load_hooks
          return unless defined?(::ActiveSupport::LazyLoadHooks)

          ::ActiveSupport.singleton_class.prepend(Module.new do
            def run_load_hooks(name, *arguments)
              Probe.span(:hooks, "on_load #{name}") { super }.tap { Probe.mark(name) if name == :after_initialize }
            end
          end)
        end

        def around(owner, name)
          owner.prepend(Module.new do
            define_method(name) do |*arguments, **options|
              Probe.span(:call, "#{owner}##{name}") { super(*arguments, **options) }
            end
          end)
        end

        def parts
          ::Spate::Boot::Session.prepend(Module.new do
            def part(name, ...) = Probe.span(:part, "spate: #{name}") { super }
          end)
        end

        def finish
          return unless Process.pid == @process

          ended = now
          @trace.disable
          facts = { began: @began, ended: ended, cpu: cpu, gc: GC.total_time, collections: GC.count, calls: @calls,
                    cost: cost, started: Integer(ENV.fetch("SPATE_PROFILE_START", @began)), marks: @marks,
                    resident: resident, frames: frames(ended), ruby: RUBY_DESCRIPTION, gems: gems, **spate }
          File.binwrite(@file, Marshal.dump(facts))
        end

        # The cost of recording one frame, in nanoseconds.
        def cost
          frames = @frames
          @frames = []
          before = now
          1000.times { span(:call, "") { nil } }
          (now - before) / 1000
        ensure
          @frames = frames
        end

        # The frames with indexes instead of parents. Frames that did not return (exit, throw) end when the process
        # ends.
        def frames(ended)
          index = {}.compare_by_identity
          @frames.each_with_index.map do |frame, number|
            index[frame] = number
            frame = frame.dup
            frame[PARENT] = index[frame[PARENT]]
            frame[NAME] = frame[NAME].to_s
            frame[LEFT] ||= ended
            frame
          end
        end

        def resident
          File.read("/proc/self/status")[/^VmHWM:\s+(\d+)/, 1].to_i * 1024
        rescue SystemCallError
          nil
        end

        # {folder => full name}
        def gems
          return {} unless defined?(::Gem) && ::Gem.respond_to?(:loaded_specs)

          ::Gem.loaded_specs.each_value.to_h { |spec| [spec.full_gem_path, spec.full_name] }
        end

        def spate
          return {} unless defined?(::Spate::Boot) && ::Spate::Boot.respond_to?(:session) && ::Spate::Boot.session

          { parts: ::Spate::Boot.session.parts, ended_by: ::Spate::Boot::BootEnd.reason,
            loader: ::Spate::Native::Loader.counts, requirer: ::Spate::Native::Requirer.counts,
            outcomes: ::Spate::Native::Loader.recorded.to_h }
        rescue NameError
          {}
        end
      end

      # Sets the file of the current frame.
      def self.of(path)
        frame = Thread.current[STACK]&.last
        frame[PATH] = path if frame && path
      end
    end
  end
end

# Child processes inherit the environment. Only the first process is profiled, or the program that it executes.
ENV["SPATE_PROFILE_PROCESS"] ||= Process.pid.to_s
if ENV["SPATE_PROFILE"] && ENV["SPATE_PROFILE_PROCESS"] == Process.pid.to_s
  Spate::Profile::Probe.start(ENV.fetch("SPATE_PROFILE"))
end
