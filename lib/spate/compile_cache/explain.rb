# frozen_string_literal: true

require_relative "../error" # script.rb does not load `spate`

module Spate
  module CompileCache
    # Explains where an application would find a feature or file. Runs a child process that boots the application until
    # the program would start.
    class Explain
      # The boot failed. details: its output.
      class Failed < Error
        EXIT_CODE = 11

        def initialize(details)
          super("the bundle could not be set up", details: details, hint: "spate check")
        end
      end

      SCRIPT = "#{__dir__}/explain/script.rb".freeze

      # location: responds to root and gemfile.
      def initialize(location, env: ENV)
        @location = location
        @env = Util::Environment.clean(env).except("SPATE_LOG")
      end

      # Returns [Hash], one per feature (see explain/answer.rb). Raises Failed.
      def call(features)
        require "tmpdir"
        Dir.mktmpdir("spate-explain-") do |folder|
          log = "#{folder}/log"
          ask(features, log) || raise(Failed, File.readlines(log, chomp: true).last(10))
        end
      end

      private

      def ask(features, log)
        require_relative "../tracer"
        Tracer::ReadOnly.run(environment, "--disable-gems", "-r#{children::FILE}", SCRIPT, *features,
                             %i[out err] => log, &:value)
      end

      def children = Boot::Exec::Children

      # The environment in which `spate exec` starts Ruby, but read-only.
      def environment
        @env.merge("SPATE_READONLY" => "1", "SPATE_HEAP" => "0", children::RUBY => children.ruby,
                   "BUNDLE_GEMFILE" => @location.gemfile)
      end
    end

    # Explains the inputs of an application's Bundler replays, and whether the replays can be used here.
    class ReplayExplanation
      # env: the user's environment, or the environment of a program after the bundle's setup.
      def initialize(location, env)
        @location = location
        @env = env
      end

      # As Gemfile::Explanation#to_a. `refused` is the reason why a Bundler replay could not be recorded or read.
      def to_a(all: false)
        records.map do |record|
          refused = record.unreadable || record.refused
          next { answer: "replay", refused: refused, inputs: {} } if refused

          Gemfile::Explanation.of("replay", record.head[:fingerprint], record.usable?(@env), all: all)
        end
      end

      private

      def records
        caches = Boot::CompileCacheFolder.of(@env)
        Boot::BundlerReplay.records(CacheFile.new(caches.application_path(@location),
                                                  caches.ruby_key)).to_a
      end
    end
  end
end
