# frozen_string_literal: true

module Spate
  module Server
    # Where the bytes of a response come from. Each kind answers:
    #
    #     length                  bytes in all, or nil where nobody knows
    #     done?                   nothing is left
    #     frames(outbox, stream, limit, end_stream, max_frame)
    #                             DATA frames of at most `limit` bytes into the outbox, END_STREAM on the last one where
    #                             `end_stream`; answers the bytes
    #     raw(outbox, limit)      the same for HTTP/1.1, without frames
    #     close
    #
    # Both write no more than the outbox has room for.
    module Body
      autoload :Bytes, "spate/server/body/bytes"
      autoload :Chunks, "spate/server/body/chunks"
      autoload :FileRange, "spate/server/body/file_range"

      # The body shrank while it was sent: what was promised cannot be kept.
      class Truncated < StandardError
      end

      def self.of(source)
        case source
        when nil, Bytes, Chunks, FileRange then source
        when String then Bytes.new(source)
        when File then FileRange.new(source)
        when IO then Chunks.new(each_part(source), source)
        else Chunks.new(source.each_entry, source)
        end
      end

      PART = 65_536

      def self.each_part(io)
        Enumerator.new do |parts|
          loop { parts << io.readpartial(PART) }
        rescue EOFError
          nil
        end
      end
      private_class_method :each_part
    end
  end
end
