# frozen_string_literal: true

module Spate
  module Boot
    module Exec
      # Code loaded by a boot stays in memory, but the garbage collector traverses it repeatedly. `spate exec` starts
      # Ruby with environment variables that make the collector run less often (see Settings). Collection is never
      # turned off. The variables are removed before the program or a child process can read them.
      #
      # Used only if the boot log shows that this kind of boot gets faster, and if there is enough memory. RUBY_GC_*
      # variables set by the user are kept.
      module Heap
        autoload :Memory, "#{FOLDER}/exec/heap/memory"
        autoload :Settings, "#{FOLDER}/exec/heap/settings"

        SIZED = RUBY_VERSION >= "3.3"
        # The variable that lists the variables set by Spate.
        MARK = "SPATE_HEAP_SET"
        OWNER = /\ARUBY_GC_(HEAP|MALLOC|OLDMALLOC)_/

        class << self
          # Returns the variables for the Ruby that will run a program of this folder's application, or {}. command: the
          # program and its arguments.
          def environment(env, command)
            return {} if !Switches.new(env).heap? || env.keys.grep(OWNER).any?

            settings = Settings.new(logged_boots(env, Session.kind_of(*command.first(2), env: env)))
            return {} unless env["SPATE_HEAP"] == "1" || settings.gain?

            set = settings.to_h(Memory.new.available)
            set.empty? ? set : set.merge(MARK => set.keys.join(","))
          rescue StandardError, LoadError
            {}
          end

          # Removes Spate's variables, which this Ruby has already read.
          def unset(env)
            names = env.delete(MARK).to_s.split(",").grep(OWNER)
            names.each { |name| env.delete(name) }
            @given = true if names.any?
          end

          # Returns true if this Ruby was started with settings, otherwise the reason (String).
          def state(env)
            return true if @given

            owner = env.keys.grep(OWNER).first
            owner ? "#{owner} is set" : "no past boot was faster with it"
          end

          private

          # [BootLog::Line] of this kind of boot.
          def logged_boots(env, kind)
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
