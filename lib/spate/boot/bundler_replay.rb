# frozen_string_literal: true

require_relative "../gemfile"

module Spate
  module Boot
    # Replaces Bundler.setup: repeats the real Bundler's result (Gemfile::Setup::Record) as long as everything
    # that it depends on is unchanged, and loads the real one for any question that goes further. See
    # docs/bundler-replay.md.
    module BundlerReplay
      FOLDER = "#{__dir__}/bundler_replay".freeze

      {
        Activation: "activation", Answers: "answers", Dependency: "runtime", Real: "real",
        Replacements: "replacements", Runtime: "runtime", Spec: "spec", Undo: "undo"
      }.each { |name, file| autoload name, "#{FOLDER}/#{file}.rb" }

      # A Bundler replay that could not be activated; the process is as it was before.
      class Failed < StandardError; end

      class << self
        # The Activation of this process, nil before `activate`.
        attr_reader :current

        # Gemfile::Record::List of a compile cache or a session, which answers `data(name)`.
        def records(source) = Gemfile::Setup::Record.list(source)

        # Whether files in the record have other times but the same content: a new record would be quicker to check.
        def worn? = current ? current.record.worn? : false

        # Changes this process as Bundler.setup would. RubyGems is loaded. If that is impossible (another version of one
        # of the gems is active, or another RubyGems) nothing is changed, and the result is the reason (String). Raises
        # Failed after an error on the way; nothing is changed then, either.
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
