# frozen_string_literal: true

module Spate
  module Server
    class Response
      # Sources of a response's bytes. Each kind has:
      #
      #     length                     bytes in total, or nil when unknown
      #     done?                      nothing is left
      #     frames(write_buffer, stream, limit, end_stream)
      #                                writes DATA frames of at most `limit` bytes, END_STREAM on the last one if
      #                                `end_stream`; returns the bytes
      #     raw(write_buffer, limit)   the same for HTTP/1.1, without frames
      #     at_hand                    bytes that `raw` can write at once
      #     close
      #
      # A source that waits for another thread also has:
      #
      #     ready?                     whether it has bytes, an end or an error
      #     on_ready(connection) { }   called through `connection.post` when that changed after `ready?` was false
      #     drained?                   nothing is left but the end or an error
      #
      # frames and raw write no more than the write buffer has room for.
      module Body
        autoload :Bytes, "spate/server/response/body/bytes"
        autoload :Chunks, "spate/server/response/body/chunks"
        autoload :FileRange, "spate/server/response/body/file_range"
        autoload :Pipe, "spate/server/response/body/pipe"
        autoload :Queue, "spate/server/response/body/queue"

        # The body became shorter while it was sent, so the announced length is wrong.
        class Truncated < StandardError
        end
      end
    end
  end
end
