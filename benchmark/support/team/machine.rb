# frozen_string_literal: true

require "json"
require "support/measure"
require "support/peers"
require "support/team/app"

module Benchmark
  module Team
    # One of the team's machines: a HOME and a copy of an application, at the near end of the line.
    class Machine
      # An install: its Sample, and Spate's events.
      Run = Struct.new(:sample, :events) do
        # Names of gems whose build began, whether or not it ended.
        def builds = events.filter_map { |event| event["name"] if event["event"] == "build_start" }
        def done = events.find { |event| event["event"] == "done" }
        def warnings = events.filter_map { |event| event["message"] if event["event"] == "warning" }
      end

      attr_reader :folder, :home

      # at: a Line. settings: of this machine's environment. The block may change its lockfile.
      def initialize(line, app, name, source, settings = {}, &change)
        @line = line
        @folder = File.join(App::FOLDER, "machines", app.name, name)
        @home = "#{@folder}-home"
        @settings = settings
        FileUtils.mkdir_p(@home)
        app.copy(@folder, source, &change)
      end

      # Resets it: an empty HOME, no bundle.
      def forget
        Peers.aside(@home)
        FileUtils.mkdir_p(@home)
        forget_bundle
      end

      def forget_bundle = Peers.aside("#{@folder}/vendor")

      def install = spate("install", "--json")
      def push(*words) = spate("cache", "push", "--json", *words)
      def bundle(*words) = run(Peers.bundler_command(*words))

      def spate(*words)
        run([Peers.launcher, *words]).tap do |run|
          run.events = run.events.lines.filter_map { |line| JSON.parse(line) if line.start_with?("{") }
        end
      end

      # A command on this machine, as arguments for Process.spawn, for a caller that waits.
      def command(words, **options) = [*at(words), { chdir: @folder, **options }]

      private

      # Excludes the caller's environment, because builds may depend on it. Spate's own compile cache is not made: its
      # child in the background would be counted with the next run.
      def at(words)
        environment = Peers.clean_env(@home).compact.merge("PATH" => ENV.fetch("PATH"), "LANG" => "C.UTF-8",
                                                           "SPATE_NO_OWN_CODE" => "1", **@settings)
        @line.at(:near, "env", "-i", *environment.map { |pair| pair.join("=") }, *words)
      end

      def run(words)
        log = "#{@folder}-log"
        started = now
        sample = Measure.sample({}, at(["sh", "-c", 'exec "$@" >"$0"', log, *words]), @folder)
        sample.wall = now - started if sample.wall < 1
        Run.new(sample, File.read(log))
      end

      def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
