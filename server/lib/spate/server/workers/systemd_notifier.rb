# frozen_string_literal: true

require "socket"

module Spate
  module Server
    module Workers
      # What systemd wants to hear from a service of Type=notify: sd_notify(3).
      class SystemdNotifier
        def initialize(env)
          path = env["NOTIFY_SOCKET"].to_s
          # "@" stands for a name that no file has.
          @path = path.start_with?("@") ? path.sub("@", "\0") : path
        end

        # A restarted server is another process.
        def ready = tell("READY=1", "MAINPID=#{Process.pid}")
        def stopping = tell("STOPPING=1")

        def reloading
          tell("RELOADING=1", "MONOTONIC_USEC=#{Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)}")
        end

        private

        # Nobody waits for it, and nothing depends on it.
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
