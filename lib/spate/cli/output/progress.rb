# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Progress of a command that processes many items: on a terminal one line, redrawn at most ten times a second;
      # elsewhere (CI, a pipe) a complete line every ten seconds.
      class Progress
        # Seconds.
        LIVE = 0.1
        PLAIN = 10

        def initialize(terminal, clock: Util.method(:now))
          @terminal = terminal
          @clock = clock
          @period = terminal.live? ? LIVE : PLAIN
          @next = clock.call + @period
          @drawn = false
        end

        # "read", 120, 4000.
        def call(words, done, of)
          return if @terminal.quiet? || (now = @clock.call) < @next

          @next = now + @period
          text = "#{words} #{Units.number(done)} of #{Units.number(of)}"
          return @terminal.tell(text) unless @terminal.live?

          @terminal.err.print(ProgressLine::CLEAR, text[0, [@terminal.width - 1, 1].max])
          @terminal.err.flush
          @drawn = true
        end

        # Clears the line: before other output, and at the end.
        def clear
          @terminal.err.print(ProgressLine::CLEAR) if @drawn
          @drawn = false
        end
      end
    end
  end
end
