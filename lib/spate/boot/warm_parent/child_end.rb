# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Exits a forked command without freeing its objects, because freeing them would copy the parent's memory. The
      # visible effects of an exit stay the same: at_exit handlers in order, flushed output, finalizers, exit status.
      module ChildEnd
        class << self
          # Called once, before the application is loaded.
          def arm
            @finalizers = {}
            ObjectSpace.singleton_class.prepend(Finalizers)
            at_exit { finish if @child == Process.pid }
          end

          # Called in the child. output: the application's output while it was loading, repeated for this client.
          def start(output)
            @child = Process.pid
            [$stdout, $stderr].zip(output) { |stream, text| stream.syswrite(text) unless text.to_s.empty? }
          rescue SystemCallError
            nil # the command itself will fail on this output
          end

          # {id of the object => [callables]} of the finalizers that have not run.
          attr_reader :finalizers

          def add(id, callable) = (finalizers[id] ||= []) << callable

          # Returns a callable that calls this one at most once. It must not reference the object.
          def once(id, callable)
            known = finalizers
            own = proc do
              rest = known[id]
              callable.call(id) if rest&.delete(own)
              known.delete(id) if rest && rest.empty?
            end
          end

          private

          # The last at_exit handler. Returns, so that Ruby exits normally, if there is an error to print, a signal or
          # another thread.
          def finish
            status = status() or return
            return if Thread.list.size > 1

            finalizers.values.flatten.each(&:call)
            flush
            exit!(status)
          end

          def status
            case $! # the only source of the exit status in an at_exit handler; English is not loaded
            when nil then 0
            when SystemExit then $!.status
            end
          end

          # Flushes all IOs and ignores errors, as Ruby does.
          def flush
            ObjectSpace.each_object(IO) do |io|
              io.flush unless io.closed?
            rescue IOError, SystemCallError
              nil
            end
          end
        end

        # Registers finalizers with ChildEnd. Each one is run once, by Ruby or by ChildEnd.
        module Finalizers
          # Has the arity of Ruby's method.
          def define_finalizer(*arguments, &block)
            return super if arguments.empty? || arguments.size > 2

            object, callable = arguments
            callable ||= block
            once = ChildEnd.once(object.__id__, callable)
            result = super(object, once)
            ChildEnd.add(object.__id__, once)
            [result.first, callable]
          end

          def undefine_finalizer(object)
            ChildEnd.finalizers.delete(object.__id__)
            super
          end
        end
      end
    end
  end
end
