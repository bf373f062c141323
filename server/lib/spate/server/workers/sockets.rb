# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The listening sockets. They are inherited in a hot restart, passed by systemd, or opened here.
      class Sockets
        # Environment variable that passes the descriptors to the new server of a hot restart: "main=5,admin=6".
        HANDED = "SPATE_SERVE_SOCKETS"
        # The protocol of systemd: sd_listen_fds(3).
        FIRST = 3
        LISTEN = %w[LISTEN_PID LISTEN_FDS LISTEN_FDNAMES].freeze
        NAMES = %w[main admin].freeze
        # The command line's option for the admin socket, for hints.
        ADMIN = { host: "--admin", port: "--admin" }.freeze

        attr_reader :main, :admin

        # main, admin: [host, port]; admin may be nil. env: the environment, from which used variables are removed.
        # Raises Server::Error.
        def initialize(main:, admin:, env:)
          given = take(env)
          @inherited = given.key?("main")
          @main = given["main"] ? Reactor::Listener.inherit(given["main"]) : Reactor::Listener.open(*main)
          return unless admin || given["admin"]

          @admin = if given["admin"]
                     Reactor::Listener.inherit(given["admin"])
                   else
                     Reactor::Listener.open(*admin,
                                            options: ADMIN)
                   end
        end

        # Whether the main socket was inherited.
        def inherited? = @inherited

        # Returns the environment for the new server of a hot restart, and the descriptors that it inherits.
        def hand_over
          open = { "main" => @main, "admin" => @admin }.compact
          [{ HANDED => open.map { |name, socket| "#{name}=#{socket.fileno}" }.join(",") },
           open.values.to_h { |socket| [socket.fileno, socket.fileno] }]
        end

        private

        def take(env)
          handed = env.delete(HANDED)
          return handed.split(",").to_h { |pair| pair.split("=") }.transform_values(&:to_i) if handed

          pid, count, names = LISTEN.map { |name| env.delete(name) }
          pid.to_i == Process.pid ? systemd(count.to_i, names.to_s.split(":")) : {}
        end

        # Selects sockets by name if the unit sets FileDescriptorName=. Otherwise the first socket is the main socket.
        def systemd(count, names)
          numbers = Array.new(count) { |index| FIRST + index }
          named = names.zip(numbers).to_h.slice(*NAMES).compact
          named["main"] ||= (numbers - named.values).first
          named.compact
        end
      end
    end
  end
end
