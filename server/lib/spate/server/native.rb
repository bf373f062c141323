# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # What is done for each frame and each request, in C on Spate's buffers: HpackDecoder, HpackEncoder, FrameReader,
    # Outbox, Poller, receive. Takes bytes and descriptors, decides nothing.
    module Native
    end
  end
end

require "spate/server/native/http2"
