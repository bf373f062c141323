# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Resources that a forked process would lose or share: threads, sockets, child processes.
      class Obstacles
        # Threads that their library starts again where it needs them.
        HARMLESS = /AR Pool Reaper|ActiveRecord::ConnectionAdapters::ConnectionPool::Reaper/

        def to_a = threads + sockets + children

        private

        def threads
          (Thread.list - [Thread.current]).reject { |thread| HARMLESS.match?(thread.name.to_s) }
                                          .map { |thread| "a thread: #{thread.name || thread.inspect}" }
        end

        def sockets
          Dir.children("/proc/self/fd").filter_map do |number|
            target = File.readlink("/proc/self/fd/#{number}")
            "an open socket: descriptor #{number}" if target.start_with?("socket:")
          rescue SystemCallError
            nil
          end
        end

        def children
          text = File.read("/proc/self/task/#{Process.pid}/children")
          text.split.map { |pid| "a child process: #{pid}" }
        rescue SystemCallError
          []
        end
      end
    end
  end
end
