# frozen_string_literal: true

require_relative "../gemfile"

module Spate
  module Boot
    # Replaces Bundler.setup: repeats the result of the real Bundler (Gemfile::Setup::Record) while all its inputs are
    # unchanged. Calls that need more than the record load the real Bundler. See docs/bundler-replay.md.
    module BundlerReplay
      FOLDER = "#{__dir__}/bundler_replay".freeze

      {
        Activation: "activation", BundlerMethods: "bundler_methods", Dependency: "runtime", Real: "real",
        Replacements: "replacements", Runtime: "runtime", Spec: "spec", Undo: "undo"
      }.each { |name, file| autoload name, "#{FOLDER}/#{file}.rb" }

      # Raised if a Bundler replay could not be activated. The process is unchanged.
      class Failed < StandardError; end

      class << self
        # This process's Activation; nil before `activate`.
        attr_reader :current

        # Gemfile::Record::List from a compile cache or a session (responds to `data(name)`).
        def records(source) = Gemfile::Setup::Record.list(source)

        # Whether recorded files have new times but the same content. A new record would then be faster to check.
        def times_changed? = current ? current.record.times_changed? : false

        # Sets up this process like Bundler.setup. RubyGems must be loaded. Returns true, or the reason (String) if
        # a different version of a gem or of RubyGems is active. Raises Failed after an error. The process is unchanged
        # unless true is returned.
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
