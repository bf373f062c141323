# frozen_string_literal: true

require_relative "util"

module Spate
  # The application's Gemfile: finds it, checks whether its lockfile matches, and runs Bundler.
  module Gemfile
    # Matches user and password in an address, even if it was normalized like a path ("http:/me:secret@host").
    USERINFO = %r{(\w:/+)[^/@\s]+@}

    {
      BundleCommand: "bundle_command", BundlerFailed: "errors", BundlerStatus: "bundler_status", Dependency: "facts",
      Disagreement: "errors", Evaluation: "evaluation", EvaluationFailed: "errors", Explanation: "explanation",
      Facts: "facts", Fingerprint: "fingerprint", Location: "location", NotFound: "errors", Observation: "observation",
      PathSpec: "facts", Policy: "policy", Record: "record", Check: "check"
    }.each { |name, file| autoload name, "#{__dir__}/gemfile/#{file}.rb" }

    # Records the effects of Bundler.setup on a process. Boot::BundlerReplay repeats them.
    module Setup
      { Policy: "policy", Record: "record", Recorder: "recorder" }
        .each { |name, file| autoload name, "#{__dir__}/gemfile/setup/#{file}.rb" }
    end

    # Finds the Gemfile for a folder, as Bundler does.
    #
    # @param cwd [String] absolute path
    # @param env [ENV, Hash{String => String}]
    # @param gemfile [String, nil] a Gemfile named by the user
    # @return [Location]
    # @raise [NotFound]
    def self.find(cwd = Dir.pwd, env = ENV, gemfile: nil)
      Location.find(cwd, env, gemfile: gemfile)
    end
  end
end
