# frozen_string_literal: true

module Spate
  module Server
    # What a peer may take of us; each can be set, each is safe as it is. Bytes, counts and seconds.
    Limits = Struct.new(:connections, :streams, :header_bytes, :header_fields, :header_block, :continuations,
                        :stream_window, :connection_window, :annoyances, :annoyances_a_second, :idle, :drain,
                        keyword_init: true) do
      def self.defaults
        new(connections: 10_000,
            streams: 100,              # at once on a connection: SETTINGS_MAX_CONCURRENT_STREAMS
            header_bytes: 32_768,      # of a request's fields, 32 added for each: SETTINGS_MAX_HEADER_LIST_SIZE
            header_fields: 128,
            header_block: 65_536,      # compressed
            continuations: 16,         # frames of one header block
            stream_window: 1 << 20,    # bytes that a peer may send before the handler read them
            connection_window: 8 << 20,
            annoyances: 1000,          # resets, pings, settings, empty frames that may come in one burst ...
            annoyances_a_second: 50,   # ... and for ever
            idle: 60,                  # seconds in which nothing went either way
            drain: 10)                 # seconds that open streams have when the server stops
      end
    end
  end
end
