# frozen_string_literal: true

module Benchmark
  # The goals of each case. `cell` returns the table cell with the goals and whether they are met.
  class BytesGoals
    FLOATS = /float|Float/
    # Types whose values may be too large for a Fixnum, so that Ruby allocates an object.
    OBJECTS = /big_/

    # median: case => ns; objects: case => objects a turn. cases: of one group.
    def initialize(cases, median, objects)
      @cases = cases
      @median = median
      @objects = objects
    end

    def cell(each)
      return "" unless each.before.include?("spate") && @median[each]

      Goals.words(checks(each))
    end

    private

    def checks(each)
      case each.group
      when /reused/ then frame(each)
      when /new String/ then [to(each, "String", 0.7)]
      when /header/ then [["≤ 50 ns", @median[each] <= 50], no_object(each)]
      when /5-bit/ then each.name.end_with?("write_all") ? [to(each, "plain Ruby", 0.1)] : []
      when /seed/ then [to(each, 'unpack("C*") and pack("C*")', 0.001)]
      when /one number/ then number(each)
      else []
      end
    end

    def frame(each)
      return [] unless each.name == "Spate, one call"

      [to(each, "IO::Buffer", 1.0), to(each, "String, pack(buffer:)", 0.6), no_object(each)]
    end

    def number(each)
      return [["≤ 40 ns", @median[each] <= 40], no_object(each)] if each.name.include?("little_endian:")
      return [] if each.name.match?(OBJECTS) || each.name == "get_uint32(offset)"

      most = each.name.match?(FLOATS) ? 16 : 12
      [["≤ #{most} ns", @median[each] <= most], no_object(each)]
    end

    def no_object(each) = ["no object", @objects[each] < 0.01]

    # Compares with another case: the time must be at most `part` of its time.
    def to(each, name, part)
      other = @cases.find { |candidate| candidate.name == name }
      text = part < 0.5 ? "≥ #{(1 / part).round}x of #{name}" : "≤ #{part}x of #{name}"
      [text, (@median[each] <= @median[other] * part if other && @median[other])]
    end
  end
end
