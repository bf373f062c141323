# frozen_string_literal: true

module Spate
  module CLI
    class Setup < Command
      # A unified diff of two texts, in the format that `git apply` reads.
      class Diff
        CONTEXT = 3

        # path: relative to the application. before, after: String, or nil for a missing file.
        def initialize(path, before, after)
          @path = path
          @missing = [before, after].map(&:nil?)
          @before = before.to_s.lines
          @after = after.to_s.lines
        end

        def to_s
          "#{heading}#{hunks.map { |hunk| hunk_text(hunk) }.join}"
        end

        private

        def heading
          from, to = %w[a b].zip(@missing).map { |side, missing| missing ? "/dev/null" : "#{side}/#{@path}" }
          "--- #{from}\n+++ #{to}\n"
        end

        # [[sign, line, lines before it in the old text, in the new text]]
        def operations
          @operations ||= begin
            old = new = 0
            signs.map do |sign|
              line = sign == "+" ? @after[new] : @before[old]
              operation = [sign, line, old, new]
              old += 1 unless sign == "+"
              new += 1 unless sign == "-"
              operation
            end
          end
        end

        # One sign per line of the diff, by the longest common subsequence.
        def signs
          old = new = 0
          found = []
          while old < @before.size || new < @after.size
            found << (sign = sign_at(old, new))
            old += 1 unless sign == "+"
            new += 1 unless sign == "-"
          end
          found
        end

        def sign_at(old, new)
          return "+" if old == @before.size
          return "-" if new == @after.size
          return " " if @before[old] == @after[new]

          lengths[old + 1][new] >= lengths[old][new + 1] ? "-" : "+"
        end

        # lengths[i][j]: the number of common lines of the texts from line i and line j on.
        def lengths
          @lengths ||= begin
            rows = Array.new(@before.size + 1) { Array.new(@after.size + 1, 0) }
            (@before.size - 1).downto(0) do |old|
              (@after.size - 1).downto(0) do |new|
                same = @before[old] == @after[new]
                rows[old][new] = same ? rows[old + 1][new + 1] + 1 : [rows[old + 1][new], rows[old][new + 1]].max
              end
            end
            rows
          end
        end

        # Ranges of operations: changes with their context, merged if their contexts touch.
        def hunks
          changed = operations.each_index.reject { |index| operations[index].first == " " }
          changed.slice_when { |one, other| other - one > 2 * CONTEXT }.map do |group|
            ([group.first - CONTEXT, 0].max)..([group.last + CONTEXT, operations.size - 1].min)
          end
        end

        def hunk_text(range)
          part = operations[range]
          sides = [["+", 2], ["-", 3]].map { |absent, place| side(part, absent, part.first[place]) }
          "@@ -#{sides[0]} +#{sides[1]} @@\n#{part.map { |sign, line| text(sign, line) }.join}"
        end

        def side(part, absent, before)
          count = part.count { |sign, _| sign != absent }
          "#{count.zero? ? before : before + 1},#{count}"
        end

        def text(sign, line)
          "#{sign}#{line}#{"\n\\ No newline at end of file\n" unless line.end_with?("\n")}"
        end
      end
    end
  end
end
