# frozen_string_literal: true

require "support/team/world"

module Benchmark
  module Team
    # The machine that builds the entries for all other machines and sends them to a cache. Its store is reused in later
    # runs.
    class Fill
      # The number of attempts to send all builds. A build that cannot be sent is rebuilt, for example after a compiler
      # changed.
      TRIES = 3

      def initialize(world, app)
        @world = world
        @app = app
        @machine = world.machine(app, "maker")
        @cpu = "#{@machine.folder}-cpu"
      end

      # Raises if a build cannot be sent in any attempt.
      def call(*caches)
        make
        caches.each { |cache| send_all(cache, TRIES) }
      end

      # The CPU time of an install that compiled everything, in seconds; nil if none was measured.
      def cpu = File.exist?(@cpu) ? File.read(@cpu).to_f : nil

      # Sends everything to a cache. Returns a Machine::Run.
      def send_to(cache) = @world.sender(@app, "maker", cache).push

      # Starts many processes that send to a cache at the same time. Returns how many failed.
      def crowd(cache, number)
        sender = @world.sender(@app, "maker", cache)
        output = { in: File::NULL, %i[out err] => "#{sender.folder}-crowd" }
        pids = Array.new(number) { Process.spawn(*sender.command([Peers.launcher, "cache", "push"], **output)) }
        pids.count { |pid| !Process.wait2(pid).last.success? }
      end

      # Whether all entries in a cache's folder are valid.
      def verify(folder)
        settings = { "SPATE_CACHE" => folder, "SPATE_CACHE_KEYS" => @world.trusted }
        machine = Machine.new(@world.line, @app, "verifier", @world.source, settings)
        machine.spate("cache", "verify", "--json").events.last&.fetch("ok")
      rescue RuntimeError => e
        warn e.message
        false
      end

      private

      def send_all(cache, tries)
        refused = send_to(cache).events.select { |event| event["state"] == "refused" && event["kind"] == "build" }
        return if refused.empty?
        raise "#{refused.first.values_at("name", "reason").join(": ")} (#{refused.size})" if tries == 1

        refused.each { |event| @machine.spate("store", "forget", event["name"]) }
        make
        send_all(cache, tries - 1)
      end

      def make
        empty = !File.directory?("#{@machine.home}/spate")
        @machine.forget_bundle
        run = @machine.install
        warn "#{@app.name}, made: #{run.sample.wall.round(1)} s, #{run.builds.size} builds"
        File.write(@cpu, run.sample.cpu.to_s) if empty
      end
    end
  end
end
