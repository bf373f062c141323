# frozen_string_literal: true

module Spate
  module Boot
    class WarmParent
      # Resources that a forked process would lose or share: threads, child processes, and open files that cannot be
      # opened again (OpenFiles): sockets, pipes, files without a name, and the kernel's objects, such as epoll.
      class Obstacles
        # Threads that their library restarts after a fork.
        HARMLESS = /AR Pool Reaper|ActiveRecord::ConnectionAdapters::ConnectionPool::Reaper/
        # Targets of the links in /proc/self/fd.
        SHARED = %r{\A(?:socket|pipe|anon_inode|/memfd):| \(deleted\)\z}
        FOLDER = "/proc/self/fd"

        # Created before the application is loaded. Files that are open then are ignored: the standard streams, and
        # those of the tracer. traced: whether to look only for what can be read under the tracer.
        def initialize(traced: false)
          @traced = traced
          @before = files
        end

        # Descriptions: ["a thread: #<Thread:...>", "an open pipe: descriptor 9, opened at config/app.rb:2"].
        def to_a = threads + shared_files + (@traced ? [] : children)

        private

        def threads
          (Thread.list - [Thread.current]).reject { |thread| HARMLESS.match?(thread.name.to_s) }
                                          .map { |thread| "a thread: #{thread.inspect}" }
        end

        def shared_files
          (files.to_a - @before.to_a).filter_map do |number, target|
            next if !SHARED.match?(target) || Native::Warm.reserved?(number)

            "an open #{target.sub(/:\[\d+\]\z/, "")}: descriptor #{number}#{Openings.describe(number)}"
          end
        end

        # {number => target}
        def files
          Dir.children(FOLDER).to_h { |number| [number.to_i, target(number)] }.compact
        end

        def target(number)
          File.readlink("#{FOLDER}/#{number}")
        rescue SystemCallError
          nil # the descriptor of the folder itself
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
