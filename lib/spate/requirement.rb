# frozen_string_literal: true

module Spate
  # A list of conditions on a version, which must all be satisfied: ">= 2.7, < 4".
  class Requirement
    PART = /\A\s*(=|!=|>=|<=|~>|>|<)?\s*(\S+)\s*\z/

    # text: conditions separated by "," or (in the compact index) "&", or an Array of these. nil or "" allows any
    # version.
    def self.parse(text)
      new(Array(text).flat_map { |part| part.to_s.split(/[,&]/) })
    end

    # parts: [String]
    def initialize(parts)
      @conditions = parts.map do |part|
        found = PART.match(part) or raise ArgumentError, "not a version requirement: #{part.inspect}"
        [found[1] || "=", GemVersion.new(found[2])]
      end
    end

    # version: String or GemVersion.
    def satisfied_by?(version)
      version = GemVersion.parse(version)
      @conditions.all? { |operator, bound| holds?(version, operator, bound) }
    end

    private

    def holds?(version, operator, bound)
      case operator
      when "=" then version == bound
      when "!=" then version != bound
      when "~>" then version >= bound && version.release < bound.bump
      else version.public_send(operator, bound)
      end
    end
  end
end
