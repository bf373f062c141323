# frozen_string_literal: true

require "socket"

module Spate
  module Server
    module Workers
      # Notifies systemd from a service of Type=notify: sd_notify(3).
      class SystemdNotifier
        def initialize(env)
          path = env["NOTIFY_SOCKET"].to_s
          # "@" at the start means the abstract namespace.
          @path = path.start_with?("@") ? path.sub("@", "\0") : path
        end

        # Sends the process id, because the main process changes in a hot restart.
        def ready = tell("READY=1", "MAINPID=#{Process.pid}")
        def stopping = tell("STOPPING=1")

        def reloading
          tell("RELOADING=1", "MONOTONIC_USEC=#{Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)}")
        end

        private

        # Sends lines. Never blocks, and ignores errors.
        def tell(*lines)
          return if @path.empty?

          socket = Socket.new(:UNIX, :DGRAM)
          socket.sendmsg_nonblock(lines.join("\n"), 0, Addrinfo.unix(@path))
        rescue SystemCallError, IO::WaitWritable, ArgumentError
          nil
        ensure
          socket&.close
        end
      end
    end
  end
end
