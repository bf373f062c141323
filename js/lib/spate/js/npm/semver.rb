# frozen_string_literal: true

module Spate
  module JS
    module Npm
      # npm's versions and ranges (https://semver.org, and node-semver's grammar of ranges).
      module Semver
        autoload :Comparator, "spate/js/npm/semver/comparator"

        # The parts of versions and ranges as regular expressions: loose ones accept what npm accepts in package.json
        # ("01.2", "1.2.3beta"), strict ones follow semver.org.
        class Grammar
          attr_reader :number, :prerelease, :build

          def initialize(loose)
            @number = loose ? /\d{1,256}/ : /(?:0|[1-9]\d{0,255})/
            part = /(?:\d{0,256}[a-zA-Z-][a-zA-Z0-9-]{0,250}|#{@number})/
            @prerelease = /#{loose ? "-?" : "-"}(#{part}(?:\.#{part})*)/
            @build = /\+[a-zA-Z0-9-]+(?:\.[a-zA-Z0-9-]+)*/
          end

          STRICT = new(false)
          LOOSE = new(true)
          def self.of(loose) = loose ? LOOSE : STRICT
        end

        # Whether a version is in a range; false if either is invalid. prereleases: treat them as releases.
        def self.satisfies?(version, range, loose: false, prereleases: false)
          version = Version.parse(version, loose: loose)
          range = Range.parse(range, loose: loose, prereleases: prereleases)
          !version.nil? && !range.nil? && range.include?(version)
        end

        # Whether a version can exist that is in all of these ranges. If so, the lowest version of one of the
        # alternatives is in all of them.
        def self.meet?(ranges)
          ranges = ranges.map { |range| Range.parse(range, loose: true) or return false }
          ranges.flat_map(&:beginnings).any? { |version| ranges.all? { |range| range.include?(version) } }
        end

        # major.minor.patch[-prerelease][+build]; the build is ignored.
        class Version
          include Comparable

          LONGEST = 256
          # JavaScript's largest safe integer.
          LARGEST = 9_007_199_254_740_991

          # nil if text is invalid.
          def self.parse(text, loose: false)
            return unless text.is_a?(String) && text.bytesize <= LONGEST

            match = pattern(loose).match(text.strip) or return
            numbers = match[1..3].map(&:to_i)
            new(*numbers, match[4]) unless numbers.any? { |number| number > LARGEST }
          end

          # Like `parse`, but does not limit the numbers, and allocates no Version.
          def self.valid?(text) = text.is_a?(String) && text.bytesize <= LONGEST && pattern(false).match?(text)

          def self.pattern(loose)
            (@patterns ||= {})[loose] ||= begin
              grammar = Grammar.of(loose)
              number = grammar.number
              numbers = /(#{number})\.(#{number})\.(#{number})/
              /\A#{loose ? "[v=\\s]*" : "v?"}#{numbers}(?:#{grammar.prerelease})?(?:#{grammar.build})?\z/
            end
          end
          private_class_method :pattern

          # prerelease: [Integer or String]
          attr_reader :numbers, :prerelease

          # prerelease: "alpha.1", or nil.
          def initialize(major, minor, patch, prerelease = nil)
            @numbers = [major, minor, patch]
            @prerelease = prerelease.to_s.split(".").map { |part| /\A\d+\z/.match?(part) ? part.to_i : part }
          end

          def prerelease? = !@prerelease.empty?

          def <=>(other)
            order = numbers <=> other.numbers
            order.zero? ? compare_prereleases(other) : order
          end

          def to_s = [numbers.join("."), *(prerelease.join(".") if prerelease?)].join("-")

          private

          # A release comes after its prereleases. Numbers come before words; if one is a prefix of the other, the
          # longer comes later.
          def compare_prereleases(other)
            return (prerelease? ? 0 : 1) <=> (other.prerelease? ? 0 : 1) unless prerelease? && other.prerelease?

            prerelease.zip(other.prerelease) do |one, two|
              return 1 if two.nil?

              order = compare_parts(one, two)
              return order unless order.zero?
            end
            prerelease.size <=> other.prerelease.size
          end

          def compare_parts(one, two)
            return one <=> two if one.instance_of?(two.class)

            one.is_a?(Integer) ? -1 : 1
          end
        end

        # Alternatives ("||"). Each is a list of bounds; a version must satisfy all bounds of one alternative.
        class Range
          LONGEST = 4096

          # nil if the text is invalid. An alternative without bounds makes all others irrelevant, including the
          # prereleases that they allow.
          def self.parse(text, loose: false, prereleases: false)
            return unless text.is_a?(String) && text.bytesize <= LONGEST

            sets = text.strip.gsub(/\s+/, " ").split("||", -1).map { |part| set(part.strip, loose, prereleases) }
            return if sets.include?(:invalid)

            sets = [[]] if sets.empty? || sets.include?([])
            return if sets.none?

            new(sets.compact, prereleases)
          end

          # Bounds of a range without "||"; nil if there are none, :invalid if the text is invalid.
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

          # Joins an operator with the version after it.
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

          # The lowest version of each alternative; if that version is excluded, the next one.
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

          # Whether a prerelease is allowed: only if the range names a prerelease of the same version.
          def allowed?(version, bounds)
            !version.prerelease? || @prereleases ||
              bounds.any? { |_, bound| bound.prerelease? && bound.numbers == version.numbers }
          end
        end
      end
    end
  end
end
