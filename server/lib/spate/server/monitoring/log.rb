# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # The server's own log, a line for each message. At most so many lines are written a second, and then how many
      # were left out. Nobody who logs waits for the reader.
      class Log
        A_SECOND = 20
        # Bytes that may wait.
        MOST = 65_536

        def initialize(io)
          @io = io
          @sink = BackgroundWriter.new(most: MOST)
          @lock = Mutex.new
          @second = @told = @untold = 0
        end

        # From any thread, not from a signal handler.
        def call(line)
          @lock.synchronize do
            begin_second
            @told += 1
            @untold += 1 unless @told <= A_SECOND && write(line)
          end
        end

        # Before the process ends; waits only for a while.
        def flush = @sink.finish

        private

        def begin_second
          second = Process.clock_gettime(Process::CLOCK_MONOTONIC, :second)
          return if second == @second

          @second = second
          @told = 0
          return unless @untold.positive?

          @untold = 0 if write("#{@untold} more lines were left out")
        end

        # All but a line break before what belongs to the same line.
        CONTROLS = /(?!\n  )[\u0000-\u001f\u007f-\u009f]/
        private_constant :CONTROLS

        # What a peer sent must not look like another line, nor speak to the terminal. False where too much waits.
        def write(line)
          text = line.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
          text = "#{text.gsub(CONTROLS) { |char| char.dump[1..-2] }}\n"
          @sink.later(text.bytesize) { @io.write(text) }
        end
      end
    end
  end
end
