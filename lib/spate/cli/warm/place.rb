# frozen_string_literal: true

require "json"

module Spate
  module CLI
    class Warm < Command
      # The files about warm parents in the store:
      #
      #   warm/<application>.on       warm boots are turned on there
      #   warm/<name>.sock, .json     a parent: its socket, and what is known of it
      #   warm/<application>.refused  why there is none
      class Place
        FOLDER = "warm"
        # Parents of one application, and of one user.
        MOST = 2
        MOST_OF_USER = 4

        # caches: of compiled code, with a slash.
        attr_reader :folder, :root, :caches

        # root: of the application. store: Store::Shelf.
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
        end

        # Turns warm boots off. Returns the number of parents that end because of it.
        def off
          Util::Files.make_folder(@folder, 0o700)
          Util::Files.remove(path("on"))
          Util::Files.write(path("off"), "", permissions: 0o600)
          parents.select { |parent| parent["root"] == @root }.each { |parent| stop(parent) }.size
        end

        # Whether they were turned off since then. A parent may have been in the making.
        def off_since?(time) = File.exist?(path("off")) && File.mtime(path("off")) >= time

        def path(ending) = File.join(@folder, "#{@name}.#{ending}")
        def temporary(name) = File.join(@folder, "#{name}-#{Process.pid}-#{rand(1 << 32).to_s(16)}")
        def socket = "#{temporary("parent")}.sock"

        # Runs the block unless another process makes such a parent.
        def alone(kind, streams)
          Util::Files.make_folder(@folder, 0o700)
          File.open(path("#{kind.tr(" ", "-")}-#{streams}.lock"), File::RDWR | File::CREAT, 0o600) do |lock|
            yield if lock.flock(File::LOCK_EX | File::LOCK_NB)
          end
        end

        # The parents that run: [Hash]. Removes the files of those that were killed.
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
          make_room
          facts = { root: @root, kind: kind, streams: streams, pid: pid, started: started(pid), socket: socket,
                    record: record, at: Time.now.to_i }
          Util::Files.write("#{socket}.json", JSON.generate(facts), permissions: 0o600)
          Util::Files.remove(path("refused"))
        end

        def refused(kind, reason) = Util::Files.write(path("refused"), "#{kind}: #{reason}\n", permissions: 0o600)
        def reason = (File.read(path("refused")).chomp if File.exist?(path("refused")))

        # A parent ends when its socket is gone.
        def stop(parent)
          [parent["record"], parent["socket"], "#{parent["socket"]}.json"].each { |path| Util::Files.remove(path) }
        end

        private

        def make_room
          all = parents.sort_by { |parent| parent["at"] }
          own = all.select { |parent| parent["root"] == @root }
          (own[0..-MOST] + all[0..-MOST_OF_USER]).uniq.each { |parent| stop(parent) }
        end

        def running?(parent)
          File.socket?(parent["socket"]) && started(parent["pid"]) == parent["started"]
        end

        # The start time of a process, which distinguishes it from a later one with the same id; nil if it has ended.
        def started(pid)
          File.read("/proc/#{pid}/stat").rpartition(") ").last.split[19]
        rescue SystemCallError
          nil
        end
      end
    end
  end
end
