# frozen_string_literal: true

module Spate
  module Util
    # The output streams, and what they support. Data is written to `out`, and everything else to `err`.
    class Terminal
      COLORS = { red: 31, green: 32, yellow: 33, cyan: 36, dim: 2, bold: 1 }.freeze
      DEFAULT_WIDTH = 80

      # Matches C0 and C1 control characters, and characters that change the writing direction. Untrusted text must not
      # send these to a terminal.
      CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

      # Makes untrusted text safe to print. Control characters are replaced by their notation in Ruby, such as \e[31m.
      def self.plain(text)
        text = text.to_s.dup.force_encoding(Encoding::UTF_8).scrub("\u{fffd}")
        text.match?(CONTROLS) ? text.gsub(CONTROLS) { |char| char.dump[1..-2] } : text
      end

      attr_reader :out, :err, :env
      attr_writer :quiet, :verbose

      def initialize(out:, err:, env:)
        @out = out
        @err = err
        @env = env
        @color = @forced = @quiet = @verbose = nil
      end

      # Sets the option --[no-]color.
      def color=(wanted)
        @color = @forced = wanted
      end

      def quiet? = @quiet ? true : false
      def verbose? = @verbose ? true : false

      # Whether `err` is a terminal on which a line can be redrawn.
      def live?
        return @live unless @live.nil?

        @live = @err.respond_to?(:tty?) && @err.tty? && !set?("CI") && @env["TERM"] != "dumb"
      end

      def color?
        return @color unless @color.nil?

        @color = !set?("NO_COLOR") && live?
      end

      # Like #paint, for data on `out`. If `out` is a file or a pipe, the text is plain even if `err` supports colors.
      def paint_data(text, color) = @forced || (@out.respond_to?(:tty?) && @out.tty?) ? paint(text, color) : text

      # The number of columns, according to the terminal, otherwise $COLUMNS, otherwise 80.
      def width
        require "io/console"
        columns = @err.respond_to?(:winsize) && @err.tty? ? @err.winsize.last : @env["COLUMNS"].to_i
        columns.positive? ? columns : DEFAULT_WIDTH
      rescue LoadError, SystemCallError
        DEFAULT_WIDTH
      end

      def paint(text, color)
        color? ? "\e[#{COLORS.fetch(color)}m#{text}\e[0m" : text
      end

      # Prints a line of progress, except with --quiet.
      def info(text)
        @err.puts(text) unless quiet?
      end

      def warning(message, hint: nil)
        return if quiet?

        @err.puts "#{paint("warning:", :yellow)} #{Terminal.plain(message)}"
        hint(hint)
      end

      def error(message, details: [], hint: nil)
        @err.puts "#{paint("error:", :red)} #{Terminal.plain(message)}"
        details.each { |line| @err.puts "  #{Terminal.plain(line)}" }
        hint(hint)
      end

      def hint(text)
        @err.puts "#{paint("hint:", :cyan)} #{Terminal.plain(text)}" if text
      end

      private

      def set?(name) = !@env[name].to_s.empty?
    end
  end
end
