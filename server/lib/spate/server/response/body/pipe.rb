# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # An IO that may make its reader wait (a pipe, a socket, a terminal): read on a thread of its own, as long as
        # the response goes.
        class Pipe < Queue
          PART = 65_536

          # The IO belongs to the body and is closed with it.
          def initialize(io)
            super()
            @io = io
          end

          def on_ready(...)
            super
            Thread.new { read }
          end

          def close
            super
            @io.close
          end

          private

          def read
            loop { push(@io.readpartial(PART)) }
          rescue EOFError
            finish
          rescue Disconnected
            nil
          rescue StandardError => e
            self.fail(e)
          end
        end
      end
    end
  end
end
