# frozen_string_literal: true

require "socket"

module Spate
  module Server
    class Reactor
      # Opens listening sockets.
      module Listener
        # The process that listens on a port, if Linux permits this user to see it.
        PortOwner = Struct.new(:pid, :command) do
          const_set(:LISTENING, "0A")
          const_set(:TABLES, %w[/proc/net/tcp /proc/net/tcp6].freeze)

          # Returns nil when the process is unknown.
          def self.find(port)
            inodes = self::TABLES.flat_map { |table| inodes(table, port) }
            pid = inodes.empty? ? nil : holder(inodes)
            pid && new(pid, words(File.read("/proc/#{pid}/cmdline")))
          rescue SystemCallError
            nil
          end

          def self.inodes(table, port)
            File.foreach(table).drop(1).filter_map do |line|
              fields = line.split
              fields[9] if fields[3] == self::LISTENING && fields[1].split(":").last.to_i(16) == port
            end
          rescue SystemCallError
            []
          end

          def self.holder(inodes)
            sockets = inodes.map { |inode| "socket:[#{inode}]" }
            Dir["/proc/[0-9]*/fd/*"].each do |path|
              return path.split("/")[2].to_i if sockets.include?(File.readlink(path))
            rescue SystemCallError
              next
            end
            nil
          end

          # Cleans the command for the terminal, because the process may belong to another user.
          def self.words(text) = text.scrub("?").tr("\0", " ").strip[0, 120].gsub(/[[:cntrl:]]/, "?")
          private_class_method :inodes, :holder, :words
        end

        # Maximum number of connections that wait to be accepted.
        BACKLOG = 1024

        module_function

        # The command line's options for host and port, for hints.
        OPTIONS = { host: "--host", port: "--port" }.freeze

        # The start of a host that is the path of a Unix socket.
        UNIX = "unix:"

        # Opens a socket. Raises Server::Error with a hint when the socket cannot be opened. host: an address, or
        # "unix:" and a path. options: the names to use in hints.
        def open(host, port, options: OPTIONS)
          return open_unix(host.delete_prefix(UNIX)) if host.start_with?(UNIX)
          # The system would use the number modulo 65536.
          raise Error.new("#{port} is not a port", hint: "0 to 65535") unless port.nil? || port.between?(0, 65_535)

          TCPServer.new(host, port).tap { |listener| listener.listen(BACKLOG) }
        rescue SystemCallError, SocketError => e
          raise Error.new("#{host}:#{port}: #{Error.reason(e)}", hint: hint(e, port, options))
        end

        # Replaces the socket of a server that has ended.
        def open_unix(path)
          raise Error.new("#{UNIX} has no path", hint: "#{UNIX}/run/app.sock") if path.empty?

          File.unlink(path) if File.socket?(path) && !listening?(path)
          UNIXServer.new(path).tap { |listener| listener.listen(BACKLOG) }
        rescue SystemCallError, ArgumentError => e
          raise Error.new("#{path}: #{Error.reason(e)}", hint: "choose another path, or stop the server that uses it")
        end

        # Whether a process may have the socket. Connecting also fails for a socket of another user or of another type,
        # and if its backlog is full.
        def listening?(path)
          socket = Socket.new(:UNIX, :STREAM)
          socket.connect_nonblock(Socket.sockaddr_un(path))
          true
        rescue SystemCallError => e
          !e.is_a?(Errno::ECONNREFUSED)
        ensure
          socket&.close
        end

        # Returns a socket that another process opened. descriptor: the socket's file descriptor.
        def inherit(descriptor)
          unix = Socket.for_fd(descriptor).tap { |socket| socket.autoclose = false }.local_address.unix?
          (unix ? UNIXServer : TCPServer).for_fd(descriptor).tap { |listener| listener.close_on_exec = true }
        rescue SystemCallError => e
          raise Error.new("descriptor #{descriptor} is not a listening socket: #{e.message}",
                          hint: "it came from LISTEN_FDS (systemd) or from the server that is being restarted")
        end

        # Whether the listener has this port, or path of a Unix socket. The host's name may have several addresses.
        def of?(listener, host, port, _tls)
          local = listener.local_address
          local.unix? ? host == "unix:#{local.unix_path}" : !host.start_with?("unix:") && port == local.ip_port
        end

        # Returns "http://127.0.0.1:8080". host: the host as the user specified it, or nil.
        def address(listener, host: nil, scheme: "http")
          local = listener.local_address
          return "unix:#{local.unix_path}" if local.unix?

          host ||= local.ip_address
          "#{scheme}://#{host.include?(":") ? "[#{host}]" : host}:#{local.ip_port}"
        end

        def hint(error, port, options)
          case error
          when Errno::EADDRINUSE then in_use(port, options)
          when Errno::EACCES
            "ports below 1024 need root: choose another #{options[:port]}, or let systemd open it"
          when Errno::EADDRNOTAVAIL
            "no interface of this machine has that address: choose another #{options[:host]}"
          else "choose another #{options.values.uniq.join(" or ")}"
          end
        end

        def in_use(port, options)
          who = PortOwner.find(port)
          unless who
            return "choose another #{options[:port]}; `ss -ltnp 'sport = :#{port}'` shows the program that uses it"
          end

          "process #{who.pid} uses it (#{who.command}): stop it, or choose another #{options[:port]}"
        end
        private_class_method :open_unix, :listening?, :hint, :in_use
      end
    end
  end
end
