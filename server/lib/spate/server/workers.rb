# frozen_string_literal: true

module Spate
  module Server
    # The server's processes: how many there are, how they start, take over from each other and end.
    #
    #     Supervisor        waits for signals, workers and a successor, and decides
    #     Prefork           workers that are children of this process
    #     SingleProcess     the process itself as the only worker; the same methods
    #     Child, ChildMain  a child as its parent sees it, and as it sees itself
    #     Worker            a process that serves
    #     Successor         the server that is to take this one's place (SIGUSR2)
    module Workers
      autoload :Backoff, "spate/server/workers/backoff"
      autoload :Child, "spate/server/workers/child"
      autoload :ChildMain, "spate/server/workers/child_main"
      autoload :Command, "spate/server/workers/command"
      autoload :PidFile, "spate/server/workers/pid_file"
      autoload :Prefork, "spate/server/workers/prefork"
      autoload :Signals, "spate/server/workers/signals"
      autoload :SingleProcess, "spate/server/workers/single_process"
      autoload :Sockets, "spate/server/workers/sockets"
      autoload :Successor, "spate/server/workers/successor"
      autoload :Supervisor, "spate/server/workers/supervisor"
      autoload :SystemdNotifier, "spate/server/workers/systemd_notifier"
      autoload :Worker, "spate/server/workers/worker"
    end
  end
end
