# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # The server's own log, one line per message. Lines per second are limited, and the number of omitted lines is
      # logged. Logging never blocks.
      class Log
        A_SECOND = 20
        # Maximum bytes that are queued.
        MOST = 65_536

        def initialize(io)
          @io = io
          @sink = BackgroundWriter.new(most: MOST)
          @lock = Mutex.new
          @second = @told = @untold = 0
        end

        # Logs a line. May be called from any thread, but not from a signal handler.
        def call(line)
          @lock.synchronize do
            begin_second
            @told += 1
            @untold += 1 unless @told <= A_SECOND && write(line)
          end
        end

        # Writes queued lines before the process ends. The wait is limited.
        def flush = @sink.finish

        private

        def begin_second
          second = Process.clock_gettime(Process::CLOCK_MONOTONIC, :second)
          return if second == @second

          @second = second
          @told = 0
          return unless @untold.positive?

          @untold = 0 if write("#{@untold} more lines were dropped")
        end

        # Control characters, except for a line break before an indented continuation.
        CONTROLS = /(?!\n  )[\u0000-\u001f\u007f-\u009f]/
        private_constant :CONTROLS

        # Writes a line. Escapes text from a peer that could look like another line or control a terminal. Returns false
        # when too much is queued.
        def write(line)
          text = line.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
          text = "#{text.gsub(CONTROLS) { |char| char.dump[1..-2] }}\n"
          @sink.later(text.bytesize) { @io.write(text) }
        end
      end

      # Logs refusals with their peers: at most one line per second over all workers, even under attack. The next line
      # contains the number of omitted lines.
      class RefusalLog
        # log: called with a line. counters: the counters of Metrics, with the time at which any process last logged a
        # refusal; or nil.
        def initialize(log, counters: nil)
          @log = log
          @counters = counters
          @column = Metrics::COLUMNS.fetch(:told_at) if counters
          @told_at = 0
          @untold = 0
        end

        # reason: a text. code: an HTTP/2 error code, or a status.
        def refused(connection, reason, code)
          return @untold += 1 unless may_tell?

          @log.call("refused #{connection.peer || "a connection"}: #{reason}#{name(code)}#{others}")
        end

        # Logs the number of omitted refusals if no other refusal follows.
        def every_second
          return unless @untold.positive? && may_tell?

          @log.call("refused #{@untold} more")
          @untold = 0
        end

        alias flush every_second

        private

        def may_tell?
          second = Process.clock_gettime(Process::CLOCK_MONOTONIC, :second)
          return false if second == @told_at

          @told_at = second
          @counters.nil? || @counters.exchange(0, @column, second) != second
        end

        def name(code)
          return if code.nil?

          " (#{code < 100 ? Metrics::CODES.fetch(code, code).to_s.upcase : code})"
        end

        def others
          return if @untold.zero?

          count, @untold = @untold, 0
          ", and #{count} before it"
        end
      end
    end
  end
end
