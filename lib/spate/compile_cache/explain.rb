# frozen_string_literal: true

require_relative "../error" # required directly, since script.rb loads nothing else

module Spate
  module CompileCache
    # Explains where an application's own boot would find a feature or file: runs a child that boots the application up
    # to the point where its program would start.
    class Explain
      # The boot failed before it could be queried. details: its output.
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

      # [Hash], one per feature: see explain/answer.rb. Raises Failed.
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

      # The environment that `spate exec` gives a Ruby, except that this boot writes nothing.
      def environment
        @env.merge("SPATE_READONLY" => "1", "SPATE_HEAP" => "0", children::RUBY => children.ruby,
                   "BUNDLE_GEMFILE" => @location.gemfile)
      end
    end

    # The inputs of an application's Bundler replays, and whether the replays may be used here.
    class ReplayExplanation
      # env: the user's environment, or that of a program that is set up.
      def initialize(location, env)
        @location = location
        @env = env
      end

      # Like Gemfile::Explanation#to_a; `refused` is the reason why a Bundler replay is rejected.
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
