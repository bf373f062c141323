# frozen_string_literal: true

require_relative "../gemfile"

module Spate
  module Boot
    # Replaces Bundler.setup: repeats the real Bundler's result (Gemfile::Setup::Record) as long as all of its inputs
    # are unchanged, and loads the real Bundler for calls that the record cannot answer. See docs/bundler-replay.md.
    module BundlerReplay
      FOLDER = "#{__dir__}/bundler_replay".freeze

      {
        Activation: "activation", Answers: "answers", Dependency: "runtime", Real: "real",
        Replacements: "replacements", Runtime: "runtime", Spec: "spec", Undo: "undo"
      }.each { |name, file| autoload name, "#{FOLDER}/#{file}.rb" }

      # A Bundler replay could not be activated. The process is unchanged.
      class Failed < StandardError; end

      class << self
        # This process's Activation; nil before `activate`.
        attr_reader :current

        # Gemfile::Record::List from a compile cache or a session (responds to `data(name)`).
        def records(source) = Gemfile::Setup::Record.list(source)

        # Whether files in the record have the same content but other times, so that a new record would be faster to
        # check.
        def worn? = current ? current.record.worn? : false

        # Changes this process like Bundler.setup. RubyGems must be loaded. If that is impossible (another version of a
        # gem or of RubyGems is active), returns the reason (String). Raises Failed after an error. In both cases
        # nothing is changed.
        def activate(record)
          activation = Activation.new(record)
          reason = activation.obstacle and return reason

          @current = activation
          activation.call
          true
        rescue StandardError
          @current = nil
          raise
        end
      end
    end
  end
end
