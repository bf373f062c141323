# frozen_string_literal: true

module Spate
  module Server
    class Response
      # `frames` and `raw` write at most as many bytes as the write buffer has room for.
      module Body
        autoload :Bytes, "spate/server/response/body/bytes"
        autoload :Chunks, "spate/server/response/body/chunks"
        autoload :FileRange, "spate/server/response/body/file_range"
        autoload :Pipe, "spate/server/response/body/pipe"
        autoload :Queue, "spate/server/response/body/queue"

        # Raised when the body became shorter while it was sent, so that the announced length is wrong.
        class Truncated < StandardError
        end
      end
    end
  end
end
