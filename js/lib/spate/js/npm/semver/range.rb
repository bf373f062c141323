# frozen_string_literal: true

module Spate
  module JS
    module Npm
      module Semver
        # Alternatives ("||"), each of bounds that all have to hold.
        class Range
          LONGEST = 4096

          # nil if text is invalid. An alternative without bounds makes all others, and prereleases they name,
          # irrelevant.
          def self.parse(text, loose: false, prereleases: false)
            return unless text.is_a?(String) && text.bytesize <= LONGEST

            sets = text.strip.gsub(/\s+/, " ").split("||", -1).map { |part| set(part.strip, loose, prereleases) }
            return if sets.include?(:invalid)

            sets = [[]] if sets.empty? || sets.include?([])
            return if sets.none?

            new(sets.compact, prereleases)
          end

          # Bounds of a range without "||"; nil if none applies, :invalid.
          def self.set(text, loose, prereleases)
            hyphen = hyphen(loose).match(text)
            return from_to(hyphen, prereleases) if hyphen

            words = joined(text).split
            return [] if words.empty?

            found = words.map { |word| bounds(word, loose, prereleases) }
            return :invalid if !loose && found.include?(nil)

            found.compact.flatten(1) unless found.compact.empty?
          end

          def self.bounds(word, loose, prereleases)
            return [] if word == "*"

            Comparator.bounds(word, loose: loose, prereleases: prereleases)
          end

          # An operator goes with what follows it.
          def self.joined(text) = text.gsub(/(~>?|\^)\s+/, '\1').gsub(/([<>]=?|=)\s*([v=\s]*[\dxX*])/, '\1\2')

          def self.hyphen(loose)
            (@hyphens ||= {})[loose] ||= /\A\s*#{Comparator.partial(loose)}\s+-\s+#{Comparator.partial(loose)}\s*\z/
          end

          def self.from_to(match, prereleases)
            [*edge(">=", match[2..5], prereleases), *edge("<=", match[7..10], prereleases)]
          end

          def self.edge(operator, parts, prereleases)
            numbers = Comparator.numbers(parts[0, 3])
            if numbers.all? && prereleases && parts[3].nil?
              return [["<", Version.new(*numbers[0, 2], numbers[2] + 1, "0")]] if operator == "<="

              return [[">=", Version.new(*numbers, "0")]]
            end
            return [] unless numbers[0]
            return Comparator.new(operator, numbers, parts[3], prereleases).bounds if operator == ">=" || numbers.all?

            [["<", Version.new(*(numbers[1] ? [numbers[0], numbers[1] + 1, 0] : [numbers[0] + 1, 0, 0]), "0")]]
          end
          private_class_method :set, :bounds, :joined, :hyphen, :from_to, :edge

          # sets: [[[operator, Version], ...], ...]
          def initialize(sets, prereleases)
            @sets = sets
            @prereleases = prereleases
          end

          def include?(version)
            @sets.any? { |bounds| bounds.all? { |bound| holds?(version, *bound) } && allowed?(version, bounds) }
          end

          # The lowest version of each alternative; for an excluded version the one that follows it.
          def beginnings
            @sets.map do |bounds|
              bounds.filter_map do |operator, bound|
                next bound if [">=", "="].include?(operator)

                Version.new(bound.numbers[0], bound.numbers[1], bound.numbers[2] + 1) if operator == ">"
              end.max || Version.new(0, 0, 0)
            end
          end

          private

          def holds?(version, operator, bound)
            order = version <=> bound
            case operator
            when "=" then order.zero?
            when ">" then order.positive?
            when ">=" then order >= 0
            when "<" then order.negative?
            else order <= 0
            end
          end

          # A prerelease only where the range names one of the same version.
          def allowed?(version, bounds)
            !version.prerelease? || @prereleases ||
              bounds.any? { |_, bound| bound.prerelease? && bound.numbers == version.numbers }
          end
        end
      end
    end
  end
end
