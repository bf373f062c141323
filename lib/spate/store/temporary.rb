# frozen_string_literal: true

module Spate
  class Store
    # A store for a single run, for a user without a writable home folder, as in a container. Its name is random and its
    # mode is 0700, and it is removed when the process ends. Not used if SPATE_HOME or --store is given.
    module Temporary
      HINT = "set SPATE_HOME to the absolute path of a persistent folder"

      class << self
        # Returns env, or a copy with SPATE_HOME set to a temporary folder. Each process has one such folder. When it is
        # created, yields the reason and the folder. Raises Util::NoHome if no temporary folder can be created.
        def environment(env, &)
          reason = self.reason(env) or return env

          # Disables boot, because compile caches would be lost when this process ends.
          env.to_h.merge("SPATE_HOME" => @folder || make(reason, &), "SPATE_BOOT" => "0")
        end

        private

        # The reason why the default folder cannot be used, or nil. An existing store may be read-only.
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
