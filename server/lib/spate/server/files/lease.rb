# frozen_string_literal: true

module Spate
  module Server
    class Files
      # An open file that other threads read: it is closed when it is to be closed and the last of them is through, so
      # that none ever reads from a descriptor that is another file's by then.
      class Lease
        attr_reader :found

        def initialize(found)
          @found = found
          @lock = Mutex.new
          @users = 0
          @closed = false
        end

        # Whether it may be read; each true is to be followed by `leave`.
        def enter
          @lock.synchronize do
            @users += 1 unless @closed
            !@closed
          end
        end

        # Answers whether it is still open.
        def leave
          @lock.synchronize do
            @users -= 1
            @found.close if @closed && @users.zero?
            !@closed
          end
        end

        def close
          @lock.synchronize do
            @closed = true
            @found.close if @users.zero?
          end
        end
      end
    end
  end
end
