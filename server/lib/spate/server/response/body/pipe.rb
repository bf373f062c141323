# frozen_string_literal: true

module Spate
  module Server
    class Response
      module Body
        # An IO that may block (a pipe, a socket, a terminal). A separate thread reads it while the response is sent.
        class Pipe < Queue
          PART = 65_536

          # The IO is closed together with the body.
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
