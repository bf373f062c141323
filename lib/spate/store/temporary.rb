# frozen_string_literal: true

module Spate
  class Store
    # A store for a single run, for a user without a writable home folder, as in a container. Other users cannot guess
    # its name, its mode is 0700, and it is removed when the process ends. Never used if SPATE_HOME or --store names a
    # folder.
    module Temporary
      HINT = "set SPATE_HOME to the absolute path of a persistent folder"

      class << self
        # env, or a copy of it with SPATE_HOME set to a temporary folder, one per process. When a folder is created, the
        # block gets the reason and the folder. Raises Util::NoHome if no temporary folder can be created.
        def environment(env, &)
          reason = self.reason(env) or return env

          # Turns off boot because compile caches would be lost after this process.
          env.to_h.merge("SPATE_HOME" => @folder || make(reason, &), "SPATE_BOOT" => "0")
        end

        private

        # Why the default folder cannot be used, as text; nil if it can be. An existing store may be read-only.
        def reason(env)
          return unless env["SPATE_HOME"].to_s.empty?

          root = Util::StorePlace.root(Util::StorePlace.home(env))
          return if File.directory?(root)

          nearest = Util::Files.nearest(root)
          "#{nearest} is not writable for user #{Process.euid}" unless File.writable?(nearest)
        rescue Util::NoHome => e
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
