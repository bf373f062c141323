# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # One status line on a terminal, redrawn at most ten times a second:
      #
      #     ⠼ fetched 131/212 · unpacked 128 · built 3/9 (nokogiri 0:14) · linked 120
      #
      # A separate thread draws, so that the time also advances between events. The first frame is drawn after 0.1
      # seconds, so that a shorter run prints nothing.
      class ProgressLine
        FRAMES = %w[⠋ ⠙ ⠹ ⠸ ⠼ ⠴ ⠦ ⠧ ⠇ ⠏].freeze
        PERIOD = 0.1
        CLEAR = "\r\e[K"

        def initialize(terminal, tally: Tally.new)
          @terminal = terminal
          @tally = tally
          @frame = 0
          @drawn = false
          @finished = false
          @mutex = Mutex.new
          @wake = ConditionVariable.new
        end

        def call(event)
          @mutex.synchronize do
            @tally.add(event)
            say(event)
            @painter ||= Thread.new { paint } unless @finished
          end
        end

        # Clears the line.
        def finish
          @mutex.synchronize do
            @finished = true
            clear
            @wake.signal
          end
          @painter&.join
        end

        # The parts of the current line, without the spinner.
        def parts
          [count("fetched", @tally.fetched, @tally.fetches), many("unpacked", @tally.unpacked), builds,
           many("linked", @tally.linked)].compact
        end

        private

        def paint
          @mutex.synchronize do
            loop do
              @wake.wait(@mutex, PERIOD)
              break if @finished

              draw
            end
          end
        end

        def draw
          text = parts.join(" · ")
          text = initial_text if text.empty?
          @frame = (@frame + 1) % FRAMES.length
          # Leaves the last column free, because some terminals wrap after it.
          line = "#{FRAMES[@frame]} #{Util::Terminal.plain(text)}"[0, [@terminal.width - 1, 1].max]
          @terminal.err.print CLEAR, line
          @terminal.err.flush
          @drawn = true
        end

        def clear
          @terminal.err.print CLEAR if @drawn
          @drawn = false
          true
        end

        def say(event)
          case event[:event]
          when :warning then clear && @terminal.warning(event[:message], hint: event[:hint])
          when :resolving then clear && @terminal.info("Bundler resolves: #{Util::Terminal.plain(event[:reason])}")
          when :handed_over then hand_over(event[:reasons])
          end
        end

        # Stops drawing, because Bundler now uses the terminal.
        def hand_over(reasons)
          clear
          @finished = true
          reasons.each { |reason| @terminal.info "running Bundler: #{Util::Terminal.plain(reason)}" }
        end

        # The text before the first count. The total is zero until Gemfile and lockfile have been read, possibly by
        # Bundler.
        def initial_text
          @tally.total.zero? ? "reading Gemfile and lockfile" : "checking #{Units.count(@tally.total, "gem")}"
        end

        def many(word, number) = number.zero? ? nil : "#{word} #{number}"
        def count(word, number, of) = of.zero? ? nil : "#{word} #{number}/#{of}"

        def builds
          text = count("built", @tally.built, @tally.builds) or return
          name, seconds = @tally.longest_build
          name ? "#{text} (#{name} #{Units.clock(seconds)})" : text
        end
      end

      # Progress of a command that processes many items. On a terminal, one line is redrawn at most ten times a second.
      # Otherwise (CI, a pipe), a line is printed every ten seconds.
      class Progress
        # Seconds between two lines.
        LIVE = 0.1
        PLAIN = 10

        def initialize(terminal, clock: Util.method(:now))
          @terminal = terminal
          @clock = clock
          @period = terminal.live? ? LIVE : PLAIN
          @next = clock.call + @period
          @drawn = false
        end

        # Example: call("read", 120, 4000).
        def call(words, done, of)
          return if @terminal.quiet? || (now = @clock.call) < @next

          @next = now + @period
          text = "#{words} #{Units.number(done)} of #{Units.number(of)}"
          return @terminal.info(text) unless @terminal.live?

          @terminal.err.print(ProgressLine::CLEAR, text[0, [@terminal.width - 1, 1].max])
          @terminal.err.flush
          @drawn = true
        end

        # Clears the line. Called before other output and at the end.
        def clear
          @terminal.err.print(ProgressLine::CLEAR) if @drawn
          @drawn = false
        end
      end
    end
  end
end
