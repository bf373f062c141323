# frozen_string_literal: true

module Spate
  module JS
    module Npm
      module Semver
        # major.minor.patch[-prerelease][+build]; the build does not count.
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

          # Whether `parse` would take it, up to the size of its numbers; makes no object.
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

          # A release is after its prereleases; numbers are before words, the longer one is after.
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
      end
    end
  end
end
