# frozen_string_literal: true

module Spate
  module Server
    # The server's life as processes: how many, how they start, take over from each other and end.
    #
    #     Steward       waits for signals, workers and a successor, and decides
    #     Fleet, Solo   the workers: children of this process, or the process itself; the same methods
    #     Child         one of a Fleet's, as its parent sees it
    #     Forked        the same from within: the life of a child process
    #     Worker        a process that serves
    #     Successor     the server that is to take this one's place (SIGUSR2)
    module Workers
      autoload :Child, "spate/server/workers/child"
      autoload :Command, "spate/server/workers/command"
      autoload :Fleet, "spate/server/workers/fleet"
      autoload :Forked, "spate/server/workers/forked"
      autoload :Patience, "spate/server/workers/patience"
      autoload :PidFile, "spate/server/workers/pid_file"
      autoload :ServiceNotice, "spate/server/workers/service_notice"
      autoload :Signals, "spate/server/workers/signals"
      autoload :Sockets, "spate/server/workers/sockets"
      autoload :Solo, "spate/server/workers/solo"
      autoload :Steward, "spate/server/workers/steward"
      autoload :Successor, "spate/server/workers/successor"
      autoload :Worker, "spate/server/workers/worker"
    end
  end
end
