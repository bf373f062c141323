# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    # What is done for each read, frame and request, in C on Spate's buffers. Takes bytes and descriptors, decides
    # nothing: Outbox, Poller, receive; FrameReader, HpackDecoder, HpackEncoder.
    module Native
    end
  end
end

require "spate/server/native/io"
require "spate/server/native/http2"
