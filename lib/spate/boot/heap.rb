# frozen_string_literal: true

module Spate
  module Boot
    # What a boot loads stays, and yet collection runs through it again and again. `spate exec` starts Ruby with
    # variables of its own that make it do so less often: see Settings. Collection itself is never off; the variables
    # are gone before the program sees its environment, and no child has them.
    #
    # Only where the journal shows that boots of this kind gain by it, and where memory is plenty. Who sets RUBY_GC_*
    # keeps his way.
    module Heap
      autoload :Memory, "#{FOLDER}/heap/memory"
      autoload :Settings, "#{FOLDER}/heap/settings"

      SIZED = RUBY_VERSION >= "3.3"
      # Names the variables that are ours.
      MARK = "SPATE_HEAP_SET"
      OWNER = /\ARUBY_GC_(HEAP|MALLOC|OLDMALLOC)_/

      class << self
        # Variables for a Ruby that is to run a program of this folder's application, {} where none are to be set.
        # command: the program and its words.
        def environment(env, command)
          return {} if !Switches.new(env).heap? || env.keys.grep(OWNER).any?

          settings = Settings.new(past(env, Session.kind_of(*command.first(2), env: env)))
          return {} unless env["SPATE_HEAP"] == "1" || settings.gain?

          set = settings.to_h(Memory.new.available)
          set.empty? ? set : set.merge(MARK => set.keys.join(","))
        rescue StandardError, LoadError
          {}
        end

        # Takes our variables out of the environment of a Ruby that has read them.
        def unset(env)
          names = env.delete(MARK).to_s.split(",").grep(OWNER)
          names.each { |name| env.delete(name) }
          @given = true if names.any?
        end

        # True where Ruby was told, or why not.
        def state(env)
          return true if @given

          owner = env.keys.grep(OWNER).first
          owner ? "#{owner} is set" : "not known to gain by it"
        end

        private

        # [Journal::Line] of this kind of boots.
        def past(env, kind)
          Boot.load_native
          images = Images.new(Home.store_root(env))
          return [] unless images.usable_folder?

          Journal.lines(Journal.path(images, Application.find(env: env))).select { |line| line.kind == kind }
        end
      end
    end
  end
end
