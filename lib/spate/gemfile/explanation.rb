# frozen_string_literal: true

module Spate
  module Gemfile
    # What the kept answers of Bundler's about a Gemfile stand on, and whether they hold here.
    class Explanation
      # env: of the user, or of a program that is set up.
      def initialize(location, settings, store, env)
        @location = location
        @settings = settings
        @store = store
        @env = env
      end

      # [{answer: "verdict" or "stand-in", change: String or nil where all of it is so here, inputs: {kind => count}}],
      # the newest first; with `all: [[kind, text]]` where asked for. Of a stand-in that is refused `refused` says why.
      def to_a(all: false)
        verdicts = @store ? Verdict.kept(@store, Verdict.key(@location, @settings)) : []
        verdicts.map { |basis,| told("verdict", basis, Basis.change(basis, @location, @env), all) } + standins(all)
      end

      private

      def standins(all)
        images = Boot::Images.new(Boot::Home.store_root(@env))
        image = Boot::Builder::BootImage.new(images, @location).old
        Boot::Standin::Records::NAMES.filter_map { |name| image.data(name) }.map do |bytes|
          record = Boot::Standin::Record.new(bytes)
          refused = record.unreadable || record.refused
          next { answer: "stand-in", refused: refused, inputs: {} } if refused

          told("stand-in", record.inputs[:basis], record.usable?(@env), all)
        end
      end

      # change: what changed (String), or anything else.
      def told(answer, basis, change, all)
        inputs = Basis.describe(basis)
        more = inputs.flat_map { |kind, texts| texts.map { |text| [kind, text] } }
        { answer: answer, change: (change if change.is_a?(String)), inputs: inputs.transform_values(&:size),
          **(all ? { all: more } : {}) }
      end
    end
  end
end
