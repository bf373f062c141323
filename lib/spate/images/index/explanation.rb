# frozen_string_literal: true

module Spate
  module Images
    module Index
      # Where `require feature` would find its file now, which other files have that name, and why they are not chosen.
      class Explanation
        def initialize(feature)
          @feature = feature
          @chosen = Native::Requirer.find(feature)
          @candidates = Native::Requirer.candidates(feature).sort_by { |one| [one[:position] || 1 << 30, one[:kind]] }
        end

        # {feature:, chosen: path, false (nowhere) or nil (Ruby searches by itself), loaded: :loaded, :alike or nil,
        #  why: one line, candidates: [{path:, position:, kind:, why:}, ...] in the order of $LOAD_PATH}
        def to_h
          { feature: @feature, chosen: @chosen, loaded: Native::Requirer.loaded(@feature, @chosen || nil), why: why,
            candidates: @candidates.map { |candidate| candidate.merge(why: reason(candidate)) } }
        end

        private

        def why
          return "Ruby searches: the name is not a plain relative path, or a folder cannot be listed" if @chosen.nil?
          return "no folder of $LOAD_PATH has it" unless @chosen

          position = @candidates.find { |candidate| candidate[:path] == @chosen }&.fetch(:position)
          "the first in $LOAD_PATH, at #{position}"
        end

        def reason(candidate)
          return "chosen" if candidate[:path] == @chosen
          return "its root is not in $LOAD_PATH" unless candidate[:position]
          return "Ruby prefers .rb anywhere to .#{candidate[:kind]}" if candidate[:kind] == :so && rb_chosen?

          "behind the chosen one in $LOAD_PATH"
        end

        def rb_chosen? = @chosen ? @chosen.end_with?(".rb") : false
      end
    end
  end
end
