# frozen_string_literal: true

module Spate
  module Server
    class Reactor
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
      end
    end
  end
end
