# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Code loaded by a boot stays, but the garbage collector traverses it repeatedly. `spate exec` starts Ruby
      # with variables that make it do so less often: see Settings. Collection is never turned off; the variables are
      # gone before the program sees its environment, and no child inherits them.
      #
      # Only if the boot log shows that boots of this kind become faster, and if memory is plenty. RUBY_GC_* that the
      # user has set stay.
      module Heap
        autoload :Memory, "#{FOLDER}/exec/heap/memory"
        autoload :Settings, "#{FOLDER}/exec/heap/settings"

        SIZED = RUBY_VERSION >= "3.3"
        # Lists the variables that Spate has set.
        MARK = "SPATE_HEAP_SET"
        OWNER = /\ARUBY_GC_(HEAP|MALLOC|OLDMALLOC)_/

        class << self
          # Variables for a Ruby that will run a program of this folder's application, {} for none.
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

          # Removes Spate's variables, which this Ruby has read.
          def unset(env)
            names = env.delete(MARK).to_s.split(",").grep(OWNER)
            names.each { |name| env.delete(name) }
            @given = true if names.any?
          end

          # true if this Ruby got settings, or why not.
          def state(env)
            return true if @given

            owner = env.keys.grep(OWNER).first
            owner ? "#{owner} is set" : "not known to gain by it"
          end

          private

          # [BootLog::Line] of this kind of boots.
          def past(env, kind)
            Boot.load_native
            caches = CompileCacheFolder.of(env)
            return [] unless caches.usable_folder?

            BootLog.lines(caches.boot_log_path(Application.find(env: env))).select { |line| line.kind == kind }
          end
        end
      end
    end
  end
end
