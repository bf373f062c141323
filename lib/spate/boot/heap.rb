# frozen_string_literal: true

module Spate
  module Boot
    # Collection during a boot frees nearly nothing: what a boot loads stays. Up to Ruby 3.2 it is held back until the
    # boot has ended (BootEnd); from 3.3 on, `spate exec` tells Ruby by environment how many slots the last boot needed.
    # Who sets RUBY_GC_* or turns collection off or on himself keeps his way.
    module Heap
      autoload :Sizes, "#{FOLDER}/heap/sizes"
      autoload :Watch, "#{FOLDER}/heap/watch"

      # Ruby 3.3 has slot pools that grow by their own sizes, and variables for each.
      SIZED = RUBY_VERSION >= "3.3"
      OWNER = /\ARUBY_GC_(HEAP|MALLOC|OLDMALLOC)_/

      class << self
        # true, or why not.
        def hold(env)
          sized = Sizes.unset(env) if SIZED
          given = env.keys.grep(OWNER).first
          return "#{given} is set" if given
          return "collection is off already" if disabled?
          return sized || "no sizes known yet" if SIZED

          GC.disable
          @held = true
          respect
          true
        end

        # Variables for a Ruby that is to run a program of this folder's application, {} where none are to be set: Ruby
        # looks through them at its start, and tells them under -w.
        def environment(env)
          return {} unless SIZED && env["SPATE_HEAP"] != "0" && env.keys.grep(OWNER).empty?

          Boot.load_native
          text = Sizes.last(Images.new(Home.store_root(env)), Application.find(env: env))
          text && Sizes.large?(text) ? Sizes.environment(text) : {}
        rescue StandardError, LoadError
          {}
        end

        # Calls the block with :memory, :seconds or :idle when a limit is reached.
        def watch(&block)
          @watch = Watch.new(&block).tap(&:start) if @held
        end

        # Collection as the program had it without us.
        def release(session)
          Sizes.keep(session) if SIZED
          return unless @held

          @held = false
          @watch&.stop
          @own.each { |name, method| Boot.replace(GC.singleton_class, name, method) }
          GC.enable unless @wish == :disable
        end

        private

        # GC.disable and GC.enable answer, while it is held, as if it were not; the last wish counts at the end.
        def respect
          @wish = nil
          @own = %i[disable enable].to_h { |name| [name, GC.singleton_class.instance_method(name)] }
          heap = self
          @own.each_key { |name| Boot.replace(GC.singleton_class, name, -> { heap.send(:wished, name) }) }
        end

        def wished(name)
          before = @wish == :disable
          @wish = name
          before
        end

        def disabled?
          before = GC.disable
          GC.enable unless before
          before
        end
      end
    end
  end
end
