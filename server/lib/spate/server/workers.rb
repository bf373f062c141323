# frozen_string_literal: true

module Spate
  module Server
    # The server's processes: start, supervision, hot restart and shutdown.
    #
    #     Supervisor        handles signals, dead workers and hot restarts
    #     Prefork           workers that are children of this process
    #     SingleProcess     the process itself as the only worker; same methods as Prefork
    #     Child, ChildMain  a child process: in the parent, and in the child
    #     Worker            serves connections
    #     HotRestart        starts the server that replaces this one (SIGUSR2)
    module Workers
      autoload :Backoff, "spate/server/workers/prefork"
      autoload :Child, "spate/server/workers/child"
      autoload :ChildMain, "spate/server/workers/child"
      autoload :Command, "spate/server/workers/hot_restart"
      autoload :HotRestart, "spate/server/workers/hot_restart"
      autoload :PidFile, "spate/server/workers/pid_file"
      autoload :Prefork, "spate/server/workers/prefork"
      autoload :RestartFile, "spate/server/workers/hot_restart"
      autoload :Signals, "spate/server/workers/supervisor"
      autoload :SingleProcess, "spate/server/workers/single_process"
      autoload :Sockets, "spate/server/workers/sockets"
      autoload :Supervisor, "spate/server/workers/supervisor"
      autoload :SystemdNotifier, "spate/server/workers/systemd_notifier"
      autoload :Worker, "spate/server/workers/worker"
    end
  end
end
