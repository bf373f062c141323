# frozen_string_literal: true

module Spate
  # A gem's version: numbers and words between dots, with the same order as in RubyGems. A version with a word is a
  # prerelease, which precedes the release ("1.0.a" < "1.0"). Missing parts count as 0.
  class GemVersion
    include Comparable

    PATTERN = /\A\s*(?:[0-9]+(?:\.[0-9A-Za-z]+)*(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?)?\s*\z/

    attr_reader :text

    def self.parse(text) = text.is_a?(GemVersion) ? text : new(text)

    def initialize(text)
      @text = text.to_s.strip
      raise ArgumentError, "not a version: #{text.inspect}" unless PATTERN.match?(@text)
    end

    # [Integer or String]: "1.2.b3" -> [1, 2, "b", 3]; a dash starts a prerelease.
    def segments
      @segments ||= (@text.empty? ? "0" : @text).gsub("-", ".pre.").scan(/\d+|[A-Za-z]+/).map do |part|
        part.match?(/\A\d/) ? part.to_i : part
      end
    end

    def prerelease? = segments.any?(String)

    # The version without its prerelease part.
    def release = prerelease? ? GemVersion.new(numbers.join(".")) : self

    # The first version that `~> self` excludes.
    def bump
      parts = numbers
      parts.pop if parts.size > 1
      GemVersion.new([*parts[...-1], parts.last + 1].join("."))
    end

    def <=>(other)
      mine = canonical
      others = GemVersion.parse(other).canonical
      [mine.size, others.size].max.times do |index|
        order = compare(mine[index] || 0, others[index] || 0)
        return order unless order.zero?
      end
      0
    end

    def eql?(other) = other.is_a?(GemVersion) && text == other.text
    def hash = text.hash
    def to_s = text

    # The segments for comparison, without trailing zeros in the release and in the prerelease part.
    def canonical
      @canonical ||= [numbers, segments.drop(numbers.size)].flat_map do |parts|
        parts.reverse.drop_while { |part| part == 0 }.reverse
      end
    end

    private

    # The parts before the first word.
    def numbers = segments.take_while { |part| part.is_a?(Integer) }

    def compare(mine, other)
      return mine <=> other if mine.instance_of?(other.class)

      mine.is_a?(String) ? -1 : 1
    end
  end
end
