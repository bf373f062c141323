# frozen_string_literal: true

require "json"

module Spate
  module CLI
    class Warm < Command
      # The files of warm parents in the store:
      #
      #   warm/<application>.on       exists if warm boots are on for the application
      #   warm/<name>.sock, .json     a parent: its socket, and facts about it
      #   warm/<application>.refused  the reason why no parent could be started
      #   warm/<application>.booted   the last command without a parent, and why
      #   warm/<application>.<kind>.attempts   parents that were started since one was used (Boot::Background::Attempts)
      class Place
        FOLDER = "warm"
        # Maximum numbers of parents of one application, and of one user.
        MOST = 2
        MOST_OF_USER = 4

        # caches: the folder of compile caches, with a trailing slash.
        attr_reader :folder, :root, :caches

        # root: the application's root. store: Store::Shelf.
        def initialize(store, root)
          @root = root
          @folder = store.path(FOLDER)
          @caches = "#{store.path("compile-cache")}/"
          @name = Native.content_hash(nil, root)
        end

        def on? = File.exist?(path("on"))

        def on
          Util::Files.make_folder(@folder, 0o700)
          Util::Files.write(path("on"), "#{@root}\n", permissions: 0o600)
          forget("*.attempts")
        end

        # Turns warm boots off. Returns the number of stopped parents.
        def off
          Util::Files.make_folder(@folder, 0o700)
          Util::Files.remove(path("on"))
          Util::Files.write(path("off"), "", permissions: 0o600)
          forget("{*.attempts,booted,refused}")
          parents.select { |parent| parent["root"] == @root }.each { |parent| stop(parent) }.size
        end

        # Whether warm boots were turned off since then, while a parent was being started.
        def off_since?(time) = File.exist?(path("off")) && File.mtime(path("off")) >= time

        def path(ending) = File.join(@folder, "#{@name}.#{ending}")
        def temporary(name) = File.join(@folder, "#{name}-#{Process.pid}-#{rand(1 << 32).to_s(16)}")
        def socket = "#{temporary("parent")}.sock"

        # Returns the result of the block; true while another process is starting the same parent; false without running
        # the block if the last parents were not used.
        def alone(kind, streams)
          Util::Files.make_folder(@folder, 0o700)
          File.open(path("#{name(kind, streams)}.lock"), File::RDWR | File::CREAT, 0o600) do |lock|
            next true unless lock.flock(File::LOCK_EX | File::LOCK_NB)

            attempts = ::Spate::Boot::Background::Attempts.of_parents(attempts(kind, streams))
            next false if attempts.wait.positive?

            attempts.add
            yield
          end
        end

        # The file that a parent removes when a command uses it.
        def attempts(kind, streams) = path("#{name(kind, streams)}.attempts")

        # The running parents: [Hash]. Removes the files of parents that were killed.
        def parents
          Dir.glob("*.json", base: @folder).filter_map do |name|
            path = File.join(@folder, name)
            parent = JSON.parse(File.read(path))
            next (parent if File.exist?(parent["record"])) if running?(parent)

            [path, parent["socket"]].each { |file| Util::Files.remove(file) }
            nil
          rescue JSON::ParserError, SystemCallError
            nil
          end
        end

        def add(pid, kind, streams, socket, record)
          parents.select { |parent| parent["record"] == record }.each { |parent| stop(parent) }
          make_room
          facts = { root: @root, kind: kind, streams: streams, pid: pid, started: started(pid), socket: socket,
                    record: record, at: Time.now.to_i }
          Util::Files.write("#{socket}.json", JSON.generate(facts), permissions: 0o600)
          Util::Files.remove(path("refused")) if kind.start_with?("application ")
        end

        def refused(kind, reason) = Util::Files.write(path("refused"), "#{kind}: #{reason}\n", permissions: 0o600)
        def reason = (File.read(path("refused")).chomp if File.exist?(path("refused")))

        # The last command that booted: {"at" => seconds, "kind" => ..., "reason" => ...}, or nil.
        def last_boot
          JSON.parse(File.read(path("booted")))
        rescue JSON::ParserError, SystemCallError
          nil
        end

        def booted(kind, reason)
          Util::Files.make_folder(@folder, 0o700)
          facts = { at: Time.now.to_i, kind: kind, reason: reason }
          Util::Files.write(path("booted"), JSON.generate(facts), permissions: 0o600)
        end

        # [kind, seconds] of the parents that have to wait.
        def pauses
          Dir.glob(path("*.attempts")).filter_map do |file|
            wait = ::Spate::Boot::Background::Attempts.of_parents(file).wait
            [File.basename(file, ".attempts").split(".", 2).last.tr("-", " "), wait.ceil] if wait.positive?
          end
        end

        # Stops a parent, which exits when its socket has been removed.
        def stop(parent)
          [parent["record"], parent["socket"], "#{parent["socket"]}.json"].each { |path| Util::Files.remove(path) }
        end

        private

        def forget(endings) = Dir.glob(path(endings)).each { |file| Util::Files.remove(file) }
        def name(kind, streams) = "#{kind.tr(" ", "-")}-#{streams}"

        def make_room
          all = parents.sort_by { |parent| parent["at"] }
          own = all.select { |parent| parent["root"] == @root }
          (own[0..-MOST] + all[0..-MOST_OF_USER]).uniq.each { |parent| stop(parent) }
        end

        def running?(parent)
          File.socket?(parent["socket"]) && started(parent["pid"]) == parent["started"]
        end

        # The start time of a process, to detect a reused process id. Returns nil if the process has ended.
        def started(pid)
          File.read("/proc/#{pid}/stat").rpartition(") ").last.split[19]
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
