# frozen_string_literal: true

module Spate
  module Boot
    # Stands in for Bundler.setup: says what the real Bundler said once, as long as everything that it looked at is
    # unchanged, and fetches the real one for any question that goes further. See docs/stand-in.md.
    #
    # Reading order: making (what is recorded), record (its form, and when it may be used), activation.
    module Standin
      FOLDER = "#{__dir__}/standin".freeze

      {
        Activation: "activation", Answers: "answers", Dependency: "runtime", Explanation: "explanation",
        Making: "making", Policy: "policy", Real: "real", Record: "record",
        Records: "records", Replacements: "replacements", Runtime: "runtime", Spec: "spec", Undo: "undo"
      }.each { |name, file| autoload name, "#{FOLDER}/#{file}.rb" }

      # A stand-in that could not be taken; the process is as it was before.
      class Failed < StandardError; end

      class << self
        # The Activation of this process, nil before `activate`.
        attr_reader :current

        # Bytes for `usable?` and `activate`, made with the real Bundler in a child process. Where a stand-in must never
        # be used they say so. location: Spate::Gemfile::Location; settings: Spate::Settings; store: keeps the verdict
        # that the same run tells.
        def make(location, settings, store = nil) = Making.new(location, settings, store).bytes

        # Whether something had other times at the last `usable?` but the same content: a record made anew would be
        # quicker to check.
        attr_reader :worn

        # true, or why not (String): something that Bundler looked at has changed. Core Ruby and spate/native/boot.
        def usable?(bytes, env = ENV)
          record = Record.new(bytes)
          record.usable?(env).tap { @worn = record.worn }
        end

        # Makes this process look as after Bundler.setup. RubyGems is loaded. Where it cannot (another version of one of
        # the gems is active already, another RubyGems) nothing is changed and the answer is the reason (String). Raises
        # Failed where something went wrong on the way; nothing is changed then, either.
        def activate(bytes)
          activation = Activation.new(Record.new(bytes))
          reason = activation.obstacle and return reason

          @current = activation
          activation.call
          true
        rescue StandardError
          @current = nil
          raise
        end

        # { load_path: [...], gems: [[full_gem_path, [absolute require paths]], ...] }, empty where it may not be used.
        # Without Bundler itself: what a boot needs of it is among what was recorded.
        def survey(bytes)
          record = Record.new(bytes)
          return { load_path: [], gems: [] } if record.unreadable || record.refused

          facts = record.facts
          { load_path: facts[:load_path],
            gems: facts[:specs].values_at(*facts[:bundled]).reject { |spec| spec.first == "bundler" }
                               .map { |spec| spec.values_at(4, 6) } }
        end
      end
    end
  end
end
