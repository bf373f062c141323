# frozen_string_literal: true

require "support/team/world"

module Benchmark
  module Team
    # The machine that makes what all others take, and sends it to a cache. Its store stays from run to run.
    class Fill
      # How often what was not heard whole is built again: somebody else on this machine may have touched a compiler.
      TRIES = 3

      def initialize(world, app)
        @world = world
        @app = app
        @machine = world.machine(app, "maker")
        @cpu = "#{@machine.folder}-cpu"
      end

      # Raises where a build stays for its folder alone, or is refused.
      def call(*caches)
        TRIES.times { break if make.empty? }
        caches.each { |cache| send_to(cache) }
      end

      # Seconds of processor time of an install that compiled everything, or nil where none was measured.
      def cpu = File.exist?(@cpu) ? File.read(@cpu).to_f : nil

      # Sends everything to a cache: Machine::Run.
      def send_to(cache)
        @world.sender(@app, "maker", cache).push.tap do |run|
          refused = run.events.select { |event| event["state"] == "refused" && event["kind"] == "build" }
          raise "#{refused.first.values_at("name", "reason").join(": ")} (#{refused.size})" if refused.any?
        end
      end

      # Many processes send to a cache at the same time. Answers how many failed.
      def crowd(cache, number)
        sender = @world.sender(@app, "maker", cache)
        output = { in: File::NULL, %i[out err] => "#{sender.folder}-crowd" }
        pids = Array.new(number) { Process.spawn(*sender.command([Peers.launcher, "cache", "push"], **output)) }
        pids.count { |pid| !Process.wait2(pid).last.success? }
      end

      # Whether all that is in a cache's folder is whole.
      def verify(folder)
        settings = { "SPATE_CACHE" => folder, "SPATE_CACHE_KEYS" => @world.trusted }
        machine = Machine.new(@world.line, @app, "verifier", @world.source, settings)
        machine.spate("cache", "verify", "--json").events.last&.fetch("ok")
      rescue RuntimeError => e
        warn e.message
        false
      end

      private

      # Names of builds that are of no use to others; they will be built again.
      def make
        empty = !File.directory?("#{@machine.home}/spate")
        @machine.forget_bundle
        run = @machine.install
        warn "#{@app.name}, made: #{run.sample.wall.round(1)} s, #{run.builds.size} builds"
        bound = run.done["builds_bound"]
        File.write(@cpu, run.sample.cpu.to_s) if empty && bound.empty?
        bound.each { |name| @machine.spate("store", "forget", name) }
      end
    end
  end
end
