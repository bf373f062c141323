# frozen_string_literal: true

require "json"
require "support/measure"
require "support/peers"
require "support/team/app"

module Benchmark
  module Team
    # A simulated machine of the team: a HOME and a copy of an application, at the near end of the line.
    class Machine
      # The Sample of an install, and Spate's events.
      Run = Struct.new(:sample, :events) do
        # Names of gems whose build was started.
        def builds = events.filter_map { |event| event["name"] if event["event"] == "build_start" }
        def done = events.find { |event| event["event"] == "done" }
        def warnings = events.filter_map { |event| event["message"] if event["event"] == "warning" }
      end

      attr_reader :folder, :home

      # line: Line. settings: environment variables of this machine. The block may change its lockfile.
      def initialize(line, app, name, source, settings = {}, &change)
        @line = line
        @folder = File.join(App::FOLDER, "machines", app.name, name)
        @home = "#{@folder}-home"
        @settings = settings
        FileUtils.mkdir_p(@home)
        app.copy(@folder, source, &change)
      end

      # Resets the machine: empties HOME and removes the bundle.
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

      # Arguments for Process.spawn that run a command on this machine. The caller waits for the process.
      def command(words, **options) = [*at(words), { chdir: @folder, **options }]

      private

      # Does not pass on the environment, because builds may depend on it. SPATE_NO_OWN_CODE prevents a background
      # process that would slow down the next run.
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
