# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Progress without a terminal (CI, a pipe): few whole lines. Each build is worth one, for it takes long; fetching
      # tells where it stands every ten seconds; --verbose tells each step.
      class PlainLog
        PERIOD = 10

        def initialize(terminal, tally: Tally.new, clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
          @terminal = terminal
          @tally = tally
          @clock = clock
          @told = nil
        end

        def call(event)
          @told ||= @clock.call
          @tally.add(event)
          line = line(event)
          line ? tell(line) : now_and_then
        end

        def finish = nil

        private

        def line(event)
          case event[:event]
          when :warning
            @terminal.warning(event[:message], hint: event[:hint])
            nil
          when :resolving then "Bundler resolves: #{event[:reason]}"
          when :handed_over then "left to Bundler: #{event[:reasons].join("; ")}"
          when :build_done
            "built #{event[:name]} in #{Units.seconds(event[:seconds].to_f)}" unless event[:cached]
          else
            detail(event) if @terminal.verbose?
          end
        end

        def detail(event)
          case event[:event]
          when :fetch_done then "fetched #{event[:name]} (#{Units.bytes(event[:bytes].to_i)}) from #{event[:source]}"
          when :fetch_retry then "trying again in #{event[:seconds]} s: #{event[:message]}"
          when :build_start then "building #{event[:name]}#{why(event)}"
          when :unpacked then "unpacked #{event[:name]} (#{Units.count(event[:files].to_i, "file")})"
          when :members_ignored
            members = Units.count(event[:members].to_i, "member")
            "ignored #{members} of unknown type in #{event[:name]}: #{event[:first]}"
          when :healed then "healed in the store: #{event[:packages].join(", ")}"
          when :finishing then "#{event[:by]} writes binstubs and vendor/cache"
          when :linked then "linked #{event[:name]}"
          end
        end

        # Why a stored build is of no use.
        def why(event)
          return " (the stored build holds the folder #{event[:bound]}, and serves no other)" if event[:bound]

          " (built again: #{event[:anew]})" if event[:anew]
        end

        def now_and_then
          return if @clock.call - @told < PERIOD

          tell stand.join(" · ")
        end

        def stand = ProgressLine.new(@terminal, tally: @tally).parts

        def tell(line)
          @told = @clock.call
          @terminal.tell(Ground::Terminal.plain(line))
          @terminal.err.flush
        end
      end
    end
  end
end
