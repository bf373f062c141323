# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The streams of a connection that are open, and what is known of those that are not.
      class Streams
        # Streams we reset whose last frames may still be on the way: ignored, not answered (section 5.1, closed).
        REMEMBERED = 256

        # The highest identifier that the peer used.
        attr_reader :last

        def initialize
          @open = {}
          @reset = {}
          @last = 0
        end

        def [](id) = @open[id]
        def size = @open.size
        def empty? = @open.empty?
        def each(&block) = @open.each_value(&block)
        def idle?(id) = id > @last
        def reset_by_us?(id) = @reset.key?(id)

        # The peer used an identifier, whatever comes of it.
        def use(id)
          @last = id
        end

        def add(stream)
          @open[stream.id] = stream
        end

        # The stream is over; nil where it was already.
        def forget(id)
          stream = @open.delete(id) or return
          stream.close
          @closed&.call(stream)
          stream
        end

        def on_close(&block)
          @closed = block
        end

        def remember_reset(id)
          @reset[id] = true
          @reset.delete(@reset.each_key.first) if @reset.size > REMEMBERED
        end

        def close_all = (forget(@open.each_key.first) until @open.empty?)
      end
    end
  end
end
