# frozen_string_literal: true

module Spate
  module JS
    module Npm
      module Semver
        # One word of a range ("^1.2", "~1", ">=2.x", "1.2.3") as bounds: [[operator, Version], ...]. A version must
        # satisfy all of them. Empty if the word allows everything.
        class Comparator
          NOTHING = [["<", Version.new(0, 0, 0, "0")]].freeze
          # The lowest prerelease: 1.2.3-0 is lower than 1.2.3 and all of its other prereleases.
          FIRST = "0"

          # nil if the text is invalid. prereleases: whether lower bounds include the prereleases of their version.
          def self.bounds(text, loose:, prereleases:)
            match = pattern(loose).match(text) or return
            numbers = numbers(match[3..5])
            return if numbers.compact.any? { |number| number > Version::LARGEST }
            return if !match[1].match?(/[~^]/) && !plain?(match, numbers, loose)

            new(match[1], numbers, match[6], prereleases).bounds
          end

          # "1.x.2" is invalid, as is "==1.2.3" in strict mode.
          def self.plain?(match, numbers, loose)
            return loose || match[2].match?(/\Av?\z/) if numbers.all?

            given = match[3..5].compact.size
            numbers.drop(numbers.index(nil)).none? && given <= 3
          end

          # [Integer, or nil for a wildcard]
          def self.numbers(parts) = parts.map { |part| part.nil? || part.match?(/\A[xX*]\z/) ? nil : part.to_i }

          def self.pattern(loose)
            (@patterns ||= {})[loose] ||= /\A(~>?|\^|[<>]?=?)\s*#{partial(loose)}\z/
          end

          # Matches a version with optional parts: operator, three numbers, prerelease.
          def self.partial(loose)
            grammar = Grammar.of(loose)
            part = /#{grammar.number}|[xX*]/
            /([v=\s]*)(#{part})(?:\.(#{part})(?:\.(#{part})(?:#{grammar.prerelease})?#{grammar.build}?)?)?/
          end

          def initialize(operator, numbers, prerelease, prereleases)
            @operator = operator
            @major, @minor, @patch = numbers
            @minor = nil if @major.nil?
            @patch = nil if @minor.nil?
            @prerelease = prerelease
            @lowest = prereleases ? FIRST : nil
          end

          def bounds
            case @operator
            when "^" then caret
            when "~", "~>" then tilde
            else plain
            end
          end

          private

          def at_least(*numbers, prerelease) = [">=", Version.new(*numbers, prerelease)]
          def below(*numbers) = ["<", Version.new(*numbers, FIRST)]

          def caret
            return [] unless @major
            return [at_least(@major, 0, 0, @lowest), below(@major + 1, 0, 0)] unless @minor
            return [at_least(@major, @minor, 0, @lowest), next_breaking(@minor.zero? ? nil : 0)] unless @patch

            [at_least(@major, @minor, @patch, @prerelease), next_breaking(@patch)]
          end

          # The next version with possibly breaking changes: the one after the first number that is not 0.
          def next_breaking(patch)
            return below(@major + 1, 0, 0) if @major.positive?
            return below(0, @minor + 1, 0) if @minor.positive? || patch.nil?

            below(0, 0, patch + 1)
          end

          def tilde
            return [] unless @major
            return [at_least(@major, 0, 0, @lowest), below(@major + 1, 0, 0)] unless @minor

            [at_least(@major, @minor, @patch || 0, @patch ? @prerelease : @lowest), below(@major, @minor + 1, 0)]
          end

          def plain
            operator = @operator == "=" ? "" : @operator
            return [[@operator.empty? ? "=" : @operator, Version.new(@major, @minor, @patch, @prerelease)]] if @patch
            return %w[< >].include?(operator) ? NOTHING : [] unless @major
            return [at_least(@major, @minor || 0, 0, @lowest), after] if operator.empty?

            [partly(operator)]
          end

          # The first version after all those that "1" or "1.2" matches.
          def after = below(*following)
          def following = @minor ? [@major, @minor + 1, 0] : [@major + 1, 0, 0]

          def partly(operator)
            case operator
            when ">" then at_least(*following, @lowest)
            when "<=" then ["<", Version.new(*following, @lowest)]
            when "<" then below(@major, @minor || 0, 0)
            else at_least(@major, @minor || 0, 0, @lowest)
            end
          end
        end
      end
    end
  end
end
