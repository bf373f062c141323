# frozen_string_literal: true

module Spate
  class Lockfile
    # Rejects a text that cannot be a lockfile, for example because of merge conflicts.
    class Preflight
      # Maximum length in bytes. Real lines have less than 300 bytes.
      LONGEST_LINE = 64 * 1024
      CONFLICTS = ["<<<<<<<", "=======", ">>>>>>>", "|||||||"].freeze
      CONTROL = "\u0000-\u0008\u000b-\u001f\u007f"
      RELOCK_HINT = "delete it and run `spate lock`"

      def initialize(text, path)
        @text = text
        @path = path
      end

      # Raises ParseError.
      def check
        refuse("is not UTF-8", first_line { |line| !line.valid_encoding? }) unless @text.valid_encoding?
        byte_order_mark
        conflicts
        control_characters
        long_lines
      end

      private

      def byte_order_mark
        return unless @text.start_with?("\uFEFF")

        refuse("starts with a byte order mark", 1, "save it without one, else Bundler misses the first section")
      end

      def conflicts
        marker = CONFLICTS.select { |text| @text.include?(text) }.min_by { |text| @text.index(text) } or return
        refuse("contains merge conflicts (#{marker})", first_line { |line| line.include?(marker) },
               git? ? "run `#{checkout}`, then `spate lock`" : "keep one side of each conflict, or #{RELOCK_HINT}")
      end

      # Accepts CR LF as a line end. Rejects a CR elsewhere, and all other control characters.
      def control_characters
        found = @text.count(CONTROL)
        return if found.zero? || (found == @text.count("\r") && found == @text.scan("\r\n").size)

        refuse("contains a control character", first_line { |line| line.chomp.count(CONTROL).positive? })
      end

      def long_lines
        return if @text.bytesize <= LONGEST_LINE

        line = first_line { |text| text.bytesize > LONGEST_LINE } or return
        refuse("has a line of more than #{LONGEST_LINE} bytes", line)
      end

      def first_line
        @text.each_line.with_index(1) { |line, number| return number if yield(line) }
        nil
      end

      def checkout = "git checkout HEAD -- #{@path}"

      # Whether the file is in a git repository. In a worktree, .git is a file.
      def git?
        folder = File.expand_path(File.dirname(@path))
        loop do
          return true if File.exist?(File.join(folder, ".git"))

          parent = File.dirname(folder)
          return false if parent == folder

          folder = parent
        end
      end

      def refuse(fact, line, hint = git? ? "run `#{checkout}`, or #{RELOCK_HINT}" : RELOCK_HINT)
        raise ParseError.new(fact, path: @path, line: line, hint: hint)
      end
    end
  end
end
