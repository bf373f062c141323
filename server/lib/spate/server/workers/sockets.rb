# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # The listening sockets. They are inherited in a hot restart, passed by systemd, or opened here.
      class Sockets
        # Environment variable that passes the descriptors to the new server of a hot restart: "main=5,main=6,admin=7".
        HANDED = "SPATE_SERVE_SOCKETS"
        # The protocol of systemd: sd_listen_fds(3).
        FIRST = 3
        LISTEN = %w[LISTEN_PID LISTEN_FDS LISTEN_FDNAMES].freeze
        NAMES = %w[main admin].freeze
        # The command line's option for the admin socket, for hints.
        ADMIN = { host: "--admin", port: "--admin" }.freeze

        # mains: Array of listeners. admin: a listener, or nil.
        attr_reader :mains, :admin

        # mains: Array of [host, port]. admin: [host, port], or nil. env: the environment, from which used variables are
        # removed. Raises Server::Error.
        def initialize(mains:, admin:, env:)
          given = take(env)
          inherited = given["main"]
          @inherited = !inherited.nil?
          @mains = inherited ? inherited.map { |number| Reactor::Listener.inherit(number) } : open(mains)
          if given["admin"]
            @admin = Reactor::Listener.inherit(given["admin"].first)
          elsif admin
            @admin = Reactor::Listener.open(*admin, options: ADMIN)
          end
        end

        # Whether the main sockets were inherited.
        def inherited? = @inherited

        # Returns the environment for the new server of a hot restart, and the descriptors that it inherits.
        def hand_over
          open = @mains.map { |socket| ["main", socket] }
          open << ["admin", @admin] if @admin
          [{ HANDED => open.map { |name, socket| "#{name}=#{socket.fileno}" }.join(",") },
           open.to_h { |_, socket| [socket.fileno, socket.fileno] }]
        end

        private

        def open(mains) = mains.map { |host, port| Reactor::Listener.open(host, port) }

        # Returns descriptors by name: { "main" => [5, 6], "admin" => [7] }.
        def take(env)
          handed = env.delete(HANDED)
          if handed
            pairs = handed.split(",").map { |pair| pair.split("=") }
            return pairs.group_by(&:first).transform_values { |found| found.map { |_, number| number.to_i } }
          end

          pid, count, names = LISTEN.map { |name| env.delete(name) }
          pid.to_i == Process.pid ? systemd(count.to_i, names.to_s.split(":")) : {}
        end

        # Selects sockets by name if the unit sets FileDescriptorName=. Otherwise all but the admin socket are main
        # sockets.
        def systemd(count, names)
          numbers = Array.new(count) { |index| FIRST + index }
          named = numbers.group_by.with_index { |_, index| names[index] }.slice(*NAMES)
          named["main"] ||= numbers - named.values.flatten
          named.reject { |_, found| found.empty? }
        end
      end
    end
  end
end
