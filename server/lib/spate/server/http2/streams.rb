# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # The open streams of a connection, and information about closed streams.
      class Streams
        # Number of streams that were reset by the server and whose last frames may still be in transit. These frames
        # are ignored (section 5.1, closed).
        REMEMBERED = 256

        # The highest identifier that the peer used.
        attr_reader :last

        # window: the ConnectionWindow, which is credited for bytes that are never read.
        def initialize(write_buffer, connection, window)
          @write_buffer = write_buffer
          @connection = connection
          @window = window
          @open = {}
          @reset = nil
          @last = 0
        end

        def [](id) = @open[id]
        def size = @open.size
        def empty? = @open.empty?
        def each(&block) = @open.each_value(&block)
        def idle?(id) = id > @last
        def reset_by_us?(id) = @reset&.key?(id)

        # Called when the peer uses an identifier, even if its stream fails.
        def use(id)
          skip((@last + 1)...id) if id > @last + 2
          @last = id
        end

        # Whether the peer skipped this identifier by using a higher one.
        def skipped?(id) = @skipped&.any? { |ids| ids.cover?(id) }

        # priority: the priority from the request's fields, or nil. An earlier PRIORITY_UPDATE takes precedence.
        def add(stream, priority = nil)
          stream.priority = @promised&.delete(stream.id) || priority || Stream::DEFAULT_PRIORITY
          @open[stream.id] = stream
        end

        # Stores the priority of a future request. Returns false if `most` requests are open or have a stored priority
        # already.
        def promise(id, priority, most)
          @promised ||= {}
          @promised.delete_if { |known, _| known <= @last }
          return false if !@promised.key?(id) && @promised.size + @open.size >= most

          @promised[id] = priority
          true
        end

        # Removes a stream that is over. Returns nil if it was removed before.
        def forget(id)
          stream = @open.delete(id) or return
          stream.close
          @window.consume(stream.unread) if stream.unread.positive?
          stream
        end

        # Ends a stream from the server's side.
        def reset(id, code)
          Frame::RstStream.write(@write_buffer, id, code)
          remember_reset(id)
          forget(id)
        end

        # Resets the stream of a StreamError and notifies the observer.
        def fail(error)
          @connection.refused(error.message, error.code)
          reset(error.stream, error.code)
        end

        def remember_reset(id)
          @reset ||= {}
          @reset[id] = true
          @reset.delete(@reset.each_key.first) if @reset.size > REMEMBERED
        end

        def close_all = (forget(@open.each_key.first) until @open.empty?)

        private

        def skip(ids)
          @skipped ||= []
          @skipped << ids
          @skipped.shift if @skipped.size > REMEMBERED
        end
      end
    end
  end
end
