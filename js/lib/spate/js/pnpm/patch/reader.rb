# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Patch
        # Reads a unified diff (https://git-scm.com/docs/diff-format).
        class Reader
          class Error < StandardError; end

          HUNK = /\A@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/
          NOWHERE = "/dev/null"
          START = "diff --git "

          # loose: see Patch.
          def initialize(text, loose: false)
            @loose = loose
            @lines = text.split("\n", -1)
            @lines.pop if @lines.last == ""
            @at = 0
          end

          # [Change, ...]
          def changes
            raise Error, "no line starts with \"diff --git\"" unless @loose || @lines.any? { |line| start?(line) }

            found = []
            while (line = @lines[@at])
              if line.start_with?(START, "--- ")
                change = change() and found << change
              else
                @at += 1
              end
            end
            found
          end

          private

          def change
            header = header()
            raise Error, "pnpm does not support copies and binary files in patches" if header[:other] && !@loose

            hunks = []
            hunks << hunk while @lines[@at]&.start_with?("@@ ")
            old, new = header.values_at(:old, :new)
            return if hunks.empty? && !header[:kind]

            path = header[:to] || plain(new.nil? || new == NOWHERE ? old : new)
            Change.new(kind(header), path, header[:mode], hunks, header[:from])
          end

          def start?(line) = line.start_with?(START)

          def kind(header)
            return :create if header[:old] == NOWHERE
            return :delete if header[:new] == NOWHERE

            header[:kind] || :modify
          end

          def header
            found = {}
            if start?(@lines[@at])
              found[:old], found[:new] = @lines[@at].chomp("\r").delete_prefix(START).split(" ", 2)
              @at += 1
            end
            while (line = @lines[@at]) && !line.start_with?("@@ ", START)
              break if line.start_with?("--- ") && found[:seen]

              note(found, line.chomp("\r"))
              @at += 1
            end
            found
          end

          def note(found, line)
            case line
            when /\A--- (.+?)(?:\t.*)?\z/
              found[:old] = $1
              found[:seen] = true
            when /\A\+\+\+ (.+?)(?:\t.*)?\z/ then found[:new] = $1
            when /\A(?:new file mode|new mode) (\d+)/
              found[:mode] = $1.end_with?("755") ? 0o755 : 0o644
              found[:kind] = line.start_with?("new file") ? :create : :modify
            when /\Adeleted file mode/ then found[:kind] = :delete
            when /\Arename (from|to) (.+)\z/
              found[$1.to_sym] = $2
              found[:kind] = :modify
            when /\Acopy (?:from|to)|\AGIT binary patch|\ABinary files/ then found[:other] = true
            end
          end

          def plain(path)
            path = path.delete_prefix('"').delete_suffix('"')
            path.sub(%r{\A[^/]+/}, "")
          end

          def hunk
            numbers = HUNK.match(@lines[@at]) or raise Error, "line #{@at + 1}: expected a hunk header"
            start, size, new_start, new_size = numbers.captures.map { |each| each ? each.to_i : 1 }
            @at += 1
            Hunk.new([start, 1].max, size, [new_start, 1].max, new_size, parts(size, new_size))
          end

          # Reads the number of lines that the hunk's header states.
          def parts(old, new)
            found = []
            while old.positive? || new.positive?
              line = @lines[@at] or raise Error, "the patch ends inside a hunk"
              sign, text = ["", "\r"].include?(line) ? [" ", ""] : [line[0], line[1..]]
              raise Error, "line #{@at + 1}: expected \" \", \"-\" or \"+\"" unless [" ", "-", "+"].include?(sign)

              old -= 1 unless sign == "+"
              new -= 1 unless sign == "-"
              @at += 1
              add(found, sign, text, unended?)
            end
            found
          end

          def add(found, sign, text, unended)
            if found.last&.first == sign
              found.last[1] << text
              found.last[2] = unended
            else
              found << [sign, [text], unended]
            end
          end

          # Skips the line "\ No newline at end of file" and returns whether it was there.
          def unended?
            return false unless @lines[@at]&.start_with?("\\")

            @at += 1
            true
          end
        end
      end
    end
  end
end
