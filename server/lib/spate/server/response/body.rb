# frozen_string_literal: true

module Spate
  module Server
    class Response
      # Where the bytes of a response come from. Each kind answers:
      #
      #     length                  bytes in all, or nil where nobody knows
      #     done?                   nothing is left
      #     frames(write_buffer, stream, limit, end_stream)
      #                             appends DATA frames of at most `limit` bytes, END_STREAM on the last one if
      #                             `end_stream`; returns the bytes
      #     raw(write_buffer, limit)
      #                             the same for HTTP/1.1, without frames
      #     at_hand                 bytes that `raw` can give at once
      #     close
      #
      # One that waits for another thread answers also:
      #
      #     ready?                  whether it has something, an end or an error
      #     on_ready(connection) { }  called through `connection.post` when that changed after `ready?` was false
      #     drained?                nothing is left but the end or an error
      #
      # Both write no more than the write buffer has room for.
      module Body
        autoload :Bytes, "spate/server/response/body/bytes"
        autoload :Chunks, "spate/server/response/body/chunks"
        autoload :FileRange, "spate/server/response/body/file_range"
        autoload :Pipe, "spate/server/response/body/pipe"
        autoload :Queue, "spate/server/response/body/queue"

        # The body shrank while it was sent: what was promised cannot be kept.
        class Truncated < StandardError
        end
      end
    end
  end
end
