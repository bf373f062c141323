# frozen_string_literal: true

module Spate
  module CLI
    module Output
      # Progress output without a terminal (CI, a pipe). Prints a line for each build, because builds take long, and a
      # line with the overall progress every ten seconds. --verbose prints each step.
      class PlainLog
        PERIOD = 10

        def initialize(terminal, tally: Tally.new, clock: Util.method(:now))
          @terminal = terminal
          @tally = tally
          @clock = clock
          @printed_at = nil
        end

        def call(event)
          @printed_at ||= @clock.call
          @tally.add(event)
          line = line(event)
          line ? print_line(line) : print_periodically
        end

        def finish = nil

        private

        def line(event)
          case event[:event]
          when :warning
            @terminal.warning(event[:message], hint: event[:hint])
            nil
          when :resolving then "Bundler resolves: #{event[:reason]}"
          when :handed_over then "running Bundler: #{event[:reasons].join("; ")}"
          when :build_done
            "built #{event[:name]} in #{Units.seconds(event[:seconds].to_f)}" unless event[:cached]
          else
            detail(event) if @terminal.verbose?
          end
        end

        def detail(event)
          case event[:event]
          when :fetch_done then "fetched #{event[:name]} (#{Units.bytes(event[:bytes].to_i)}) from #{event[:source]}"
          when :fetch_retry then "retrying in #{event[:seconds]} s: #{event[:message]}"
          when :build_start then "building #{event[:name]}#{why(event)}"
          when :unpacked then "unpacked #{event[:name]} (#{Units.count(event[:files].to_i, "file")})"
          when :members_ignored
            members = Units.count(event[:members].to_i, "member")
            "ignored #{members} of unknown type in #{event[:name]}: #{event[:first]}"
          when :healed then "repaired in the store: #{event[:packages].join(", ")}"
          when :finishing then "#{event[:by]} writes binstubs and vendor/cache"
          when :linked then "linked #{event[:name]}"
          end
        end

        # The reason why a stored build was not used.
        def why(event)
          return " (the stored build contains the path #{event[:bound]} and works only there)" if event[:bound]

          " (rebuilding: #{event[:anew]})" if event[:anew]
        end

        def print_periodically
          return if @clock.call - @printed_at < PERIOD

          print_line progress_parts.join(" · ")
        end

        def progress_parts = ProgressLine.new(@terminal, tally: @tally).parts

        def print_line(line)
          @printed_at = @clock.call
          @terminal.info(Util::Terminal.plain(line))
          @terminal.err.flush
        end
      end
    end
  end
end
