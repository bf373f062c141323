# frozen_string_literal: true

module Spate
  class Store
    # A store for one run, where the user has no home folder or cannot write it: as `nobody` in a container. It is made
    # under a name that no other user can foresee, with mode 0700, and removed when the process ends. It is never used
    # where SPATE_HOME or --store names a folder.
    module Temporary
      HINT = "set SPATE_HOME to the absolute path of a folder that is kept"

      class << self
        # env, or a copy of it in which SPATE_HOME is a temporary folder. The block gets the reason and the folder where
        # one is made; there is one for a process. Raises Ground::NoHome where there is no temporary folder either.
        def environment(env, &)
          reason = self.reason(env) or return env

          # Boot images are of no use to the next process.
          env.to_h.merge("SPATE_HOME" => @folder || make(reason, &), "SPATE_BOOT" => "0")
        end

        private

        # Why the usual place cannot be used, as text; nil where it can. A store that is there may be read-only.
        def reason(env)
          return unless env["SPATE_HOME"].to_s.empty?

          root = Ground::StorePlace.root(Ground::StorePlace.home(env))
          return if File.directory?(root)

          nearest = Ground::Files.nearest(root)
          "#{nearest} cannot be written by user #{Process.euid}" unless File.writable?(nearest)
        rescue Ground::NoHome => e
          @unplaced = e
          e.message
        end

        def make(reason)
          require "tmpdir"
          folder = Dir.mktmpdir("spate-")
          maker = Process.pid
          at_exit { Sweep.remove(folder) if Process.pid == maker }
          yield reason, folder
          @folder = folder
        rescue ArgumentError, SystemCallError # no folder for temporary files
          raise @unplaced || ReadOnly.at(reason[/\S+/], Errno::EACCES::Errno)
        end
      end
    end
  end
end
