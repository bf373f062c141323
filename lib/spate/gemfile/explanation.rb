# frozen_string_literal: true

module Spate
  module Gemfile
    # Explains the inputs of cached Gemfile checks, and whether they are unchanged here.
    class Explanation
      # env: the user's environment, or the environment of a program after the bundle's setup. trusts: see Check.recall.
      def initialize(location, settings, store, env, trusts: nil)
        @trusts = trusts
        @location = location
        @settings = settings
        @store = store
        @env = env
      end

      # [{answer: "check", change: String, or nil if nothing changed, inputs: {kind => count}}], newest first; with
      # `all: true` also `all: [[kind, text]]`.
      def to_a(all: false)
        records = @store ? Check.records(@store, @location, @settings, @trusts) : []
        records.map do |record|
          Explanation.of("check", record.head[:fingerprint], record.usable?(@env, @location), all: all)
        end.to_a
      end

      # change: the change (String); any other value means no change.
      def self.of(answer, fingerprint, change, all: false)
        inputs = Fingerprint.describe(fingerprint)
        more = inputs.flat_map { |kind, texts| texts.map { |text| [kind, text] } }
        { answer: answer, change: (change if change.is_a?(String)), inputs: inputs.transform_values(&:size),
          **(all ? { all: more } : {}) }
      end
    end
  end
end
