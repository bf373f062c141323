# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # One status line on a terminal, drawn anew at most ten times a second:
      #
      #     ⠼ fetched 131/212 · unpacked 128 · built 3/9 (nokogiri 0:14) · linked 120
      #
      # Its own thread draws, so that time passes on the line while a compiler is silent. The first frame comes after
      # the first tenth of a second: a run that is over by then leaves no trace.
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

        # Takes the line away.
        def finish
          @mutex.synchronize do
            @finished = true
            clear
            @wake.signal
          end
          @painter&.join
        end

        # The line as it stands now, without spinner: Array of parts.
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
          text = nothing_yet if text.empty?
          @frame = (@frame + 1) % FRAMES.length
          # One column stays free: some terminals wrap when the last one is written.
          line = "#{FRAMES[@frame]} #{Ground::Terminal.plain(text)}"[0, [@terminal.width - 1, 1].max]
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
          when :resolving then clear && @terminal.tell("Bundler resolves: #{Ground::Terminal.plain(event[:reason])}")
          when :handed_over then hand_over(event[:reasons])
          end
        end

        # From here on the terminal is Bundler's.
        def hand_over(reasons)
          clear
          @finished = true
          reasons.each { |reason| @terminal.tell "left to Bundler: #{Ground::Terminal.plain(reason)}" }
        end

        # No total: the plan waits for Gemfile and lockfile, and perhaps for Bundler.
        def nothing_yet
          @tally.total.zero? ? "looking at Gemfile and lockfile" : "#{Units.count(@tally.total, "gem")} to look at"
        end

        def many(word, number) = number.zero? ? nil : "#{word} #{number}"
        def count(word, number, of) = of.zero? ? nil : "#{word} #{number}/#{of}"

        def builds
          text = count("built", @tally.built, @tally.builds) or return
          name, seconds = @tally.longest_build
          name ? "#{text} (#{name} #{Units.clock(seconds)})" : text
        end
      end
    end
  end
end
