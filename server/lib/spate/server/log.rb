# frozen_string_literal: true

module Spate
  module Server
    # What the server has to tell, a line each; at most so many a second, however much goes wrong, and then how many
    # were left out.
    class Log
      A_SECOND = 20

      def initialize(io)
        @io = io
        @lock = Mutex.new
        @second = @told = @untold = 0
      end

      # From any thread, not from a signal handler.
      def call(line)
        @lock.synchronize do
          begin_second
          @told += 1
          next @untold += 1 if @told > A_SECOND

          write(line)
        end
      end

      private

      def begin_second
        second = Process.clock_gettime(Process::CLOCK_MONOTONIC, :second)
        return if second == @second

        @second = second
        @told = 0
        return unless @untold.positive?

        write("#{@untold} more lines in a second were left out")
        @untold = 0
      end

      # All but a line break before what belongs to the same line.
      CONTROLS = /(?!\n  )[\u0000-\u001f\u007f-\u009f]/
      private_constant :CONTROLS

      # What a peer sent must not look like another line, nor speak to the terminal.
      def write(line)
        text = line.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")
        @io.write("#{text.gsub(CONTROLS) { |char| char.dump[1..-2] }}\n")
      rescue SystemCallError, IOError
        nil # nobody listens
      end
    end
  end
end
