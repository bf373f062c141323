# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Ends a forked command without freeing its objects, which would copy the parent's memory. What a program sees of
      # its end happens as always: at_exit handlers in their order, buffered output, finalizers, exit status.
      module ChildEnd
        class << self
          # Called once, before the application is loaded.
          def arm
            @finalizers = {}
            ObjectSpace.singleton_class.prepend(Finalizers)
            at_exit { finish if @child == Process.pid }
          end

          # Called in the child. output: shown to this client as well.
          def start(output)
            @child = Process.pid
            [$stdout, $stderr].zip(output) { |stream, text| stream.syswrite(text) unless text.to_s.empty? }
          rescue SystemCallError
            nil # the command will notice
          end

          # {id of the object => [callables]} of the finalizers that have not run.
          attr_reader :finalizers

          def add(id, callable) = (finalizers[id] ||= []) << callable

          # A callable that calls this one once. Must not see the object.
          def once(id, callable)
            known = finalizers
            own = proc do
              rest = known[id]
              callable.call(id) if rest&.delete(own)
              known.delete(id) if rest && rest.empty?
            end
          end

          private

          # Runs last. Returns where only Ruby knows what to do: an error to print, a signal, other threads.
          def finish
            status = status() or return
            return if Thread.list.size > 1

            finalizers.values.flatten.each(&:call)
            flush
            exit!(status)
          end

          def status
            case $! # an at_exit handler has no other way to know; English is not loaded
            when nil then 0
            when SystemExit then $!.status
            end
          end

          # Ruby does so too, and ignores errors.
          def flush
            ObjectSpace.each_object(IO) do |io|
              io.flush unless io.closed?
            rescue IOError, SystemCallError
              nil
            end
          end
        end

        # Knows the finalizers. Each is run once, by Ruby or by ChildEnd.
        module Finalizers
          def define_finalizer(object, callable = nil, &block)
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
