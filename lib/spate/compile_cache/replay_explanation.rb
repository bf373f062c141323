# frozen_string_literal: true

module Spate
  module CompileCache
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
