# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP2
      # A connection's HTTP/2, between bytes that came and a write buffer of bytes to go: RFC 9113. Knows no socket.
      # What frames do to it is in the frames' files, what requests do in Requests, answers in Responses.
      class Protocol
        # With less free room in the write buffer nothing more is read: answers might not fit.
        ROOM_FOR_ANSWERS = 32_768
        TABLE_SIZE = 4096
        MAX_FRAME = 16_384
        FRAME_HEADER = 9
        # Seconds that a peer has to take the GOAWAY that ends its connection.
        LAST_WORDS = 1

        # buffer: that of the frames that are being received. frames: how many came. partial: bytes of the one that is
        # not whole yet. open_block: see Frame::Headers. window: what the peer may send.
        attr_reader :write_buffer, :limits, :streams, :flood_limit, :buffer, :settings, :connection, :scheduler,
                    :window, :requests, :frames, :partial
        attr_accessor :open_block

        # handler: `call(request)` answers a Response, or nil and answers later.
        def initialize(write_buffer, handler, limits, connection: Connection::Null::ONE, log: nil)
          @write_buffer = write_buffer
          @limits = limits
          @connection = connection
          @reader = Native::FrameReader.new(MAX_FRAME, Frame::Data::JOINED)
          @settings = PeerSettings.new
          @flood_limit = Limits::TokenBucket.new(limits.annoyances, limits.annoyances_a_second) do |reason|
            ConnectionError.new(reason, ErrorCode::ENHANCE_YOUR_CALM)
          end
          @budget = Limits::Budget.new(limits.frames_per_tick)
          @window = ConnectionWindow.new(write_buffer, connection, limits)
          @streams = Streams.new(write_buffer, connection, @window)
          @scheduler = Scheduler.new(write_buffer, @flood_limit)
          @responses = Responses.new(self, log: log)
          @requests = Requests.new(self, handler, @responses, log: log)
          @preface = @first = true
          @unacknowledged = @frames = @partial = 0
        end

        # Frames between two offsets of an ArrayBuffer. Answers where the first one begins that was not taken.
        def receive(buffer, from, to)
          @buffer = buffer
          from = receive_preface(from, to) if @preface
          return from if @preface

          @budget.begin(@connection.active_at)
          from = receive_frames(from, to)
          @failed ? to : from
        rescue Server::ConnectionError => e
          fail_with(e)
          to
        end

        # Fills the write buffer with what streams have to send.
        def produce
          @scheduler.produce { |stream, error| error ? @responses.failed(stream, error) : @responses.body_sent(stream) }
        end

        # Whether `produce` would bring something, or frames wait for the next tick.
        def ready? = (@spent || @scheduler.ready?) && !@failed
        # Whether a request is being worked on: such a connection is not idle.
        def busy? = !@streams.empty?
        # Whether the connection is over once the write buffer is empty.
        def finished? = @failed || (leaving? && @streams.empty?)
        # The peer sends no more: no connection of HTTP/2 goes on with half of it.
        def ended(_more) = false

        # Whether the last bytes were of a request's body, and more of it is to come.
        def body_follows? = @reader.type == Frame::Data::TYPE && (@partial.positive? || !@reader.end_stream?)
        def partial_data? = @partial >= FRAME_HEADER && @reader.type == Frame::Data::TYPE

        # Seconds, monotonic; asked once a second. What took too long is told to the peer; true where it does not take
        # that either.
        def late?(now)
          return now - (@failed_at ||= now) > LAST_WORDS if @failed

          @shutdown&.late(now)
          (@deadlines ||= Deadlines.new(self, now)).check(now)
          false
        rescue Server::ConnectionError => e
          fail_with(e)
          false
        ensure
          @connection.post { nil } unless @write_buffer.empty?
        end

        # The server stops: what is open goes on (section 6.8).
        def leave
          return @leaves = true if @preface # SETTINGS come first

          @shutdown = GracefulShutdown.new(self) unless @failed || @shutdown
        end

        # Whether requests are taken no more.
        def leaving? = @shutdown&.over? || false

        def close
          @window.close
          @streams.close_all
        end

        # What follows is for frames and requests.

        # A frame's content as a String; that of DATA, which may be several frames' that were joined.
        def content(frame) = view.get_bytes(frame.content_offset, frame.content_length)
        def data(frame) = frame.data(@buffer)

        # Whether the peer's SETTINGS came; whether it knows ours.
        def greeted? = !@first
        def acknowledged? = @unacknowledged.zero?

        def settings_acknowledged
          return @flood_limit.take("acknowledgements of no SETTINGS") if @unacknowledged.zero?

          @unacknowledged -= 1
        end

        # Parameters of SETTINGS as [identifier, value, identifier, value, ...]: sections 6.5.2 and 6.9.2.
        def apply_settings(parameters)
          window = @settings.initial_window_size
          parameters.each_slice(2) { |identifier, value| @settings.set(identifier, value) }
          @responses.header_table_size = @settings.header_table_size
          change = @settings.initial_window_size - window
          @streams.each { |stream| @scheduler.widen_all(stream, change) } unless change.zero?
        end

        # What our PING asked for; anything else was not asked for.
        def ping_answered(opaque)
          return if @shutdown&.answered(opaque) || opaque == Deadlines::ALIVE

          @flood_limit.take("answers to no PING")
        end

        # RFC 9218, section 7.1. What is said of a request to come is kept as long as there may be such a request.
        def prioritize(id, priority)
          stream = @streams[id]
          return @scheduler.move(stream, priority) if stream
          return if !@streams.idle?(id) || @streams.promise(id, priority, @limits.streams)

          raise ConnectionError, "PRIORITY_UPDATE of more than #{@limits.streams} requests"
        end

        def check_not_idle(frame, name)
          raise ConnectionError, "#{name} on stream #{frame.stream}, which is idle" if @streams.idle?(frame.stream)
        end

        private

        # DataView's reads raise past the end; the buffer is the same for the reactor's life.
        def view
          @view = DataView.new(@buffer) unless @view&.buffer.equal?(@buffer)
          @view
        end

        def free? = Native::WriteBuffer::BYTES - @write_buffer.pending >= ROOM_FOR_ANSWERS

        def receive_preface(from, to)
          length = [to - from, PREFACE.bytesize].min
          if view.get_bytes(from, length) != PREFACE.byteslice(0, length)
            raise ConnectionError, "the connection does not begin with HTTP/2's preface"
          end
          return from if length < PREFACE.bytesize

          @preface = false
          greet
          from + length
        end

        def greet
          Frame::Settings.write(@write_buffer,
                                PeerSettings::MAX_CONCURRENT_STREAMS => @limits.streams,
                                PeerSettings::INITIAL_WINDOW_SIZE => @limits.stream_window,
                                PeerSettings::MAX_HEADER_LIST_SIZE => @limits.header_bytes,
                                PeerSettings::NO_RFC7540_PRIORITIES => 1)
          @unacknowledged = 1
          leave if @leaves
        end

        # @spent: frames wait for the connection's next tick. Nothing is read before that is known: the reader
        # remembers what it read.
        def receive_frames(from, to)
          @partial = 0
          @spent = false
          while from < to && !@failed && free?
            break @spent = true if @budget.spent?
            break @partial = to - from unless next_frame(from, to)

            from = receive_frame(from)
          end
          from
        end

        # Whether a whole frame is there, or several of DATA that are taken as one. One with an error of its stream's is
        # dealt with here, and then passed over.
        def next_frame(from, to)
          @faulty = nil
          @reader.next(@buffer, from, to, @budget.left + 1) or return
          @budget.spend(@reader.count - 1) if @reader.count > 1
          true
        rescue StreamError => e
          @faulty = e
        end

        def receive_frame(from)
          @frames += @reader.count
          if @first
            @first = false
            raise ConnectionError, "the first frame is no SETTINGS" if @reader.type != Frame::Settings::TYPE
          end
          raise @faulty if @faulty

          apply
          from + @reader.size
        rescue StreamError => e
          # Resets that the peer provokes are as good for an attack as its own (CVE-2025-8671).
          @flood_limit.take("streams with errors")
          @streams.fail(e)
          from + @reader.size
        end

        # Types that nobody knows are ignored: section 4.1. They make work all the same.
        def apply
          type = Frame::TYPES[@reader.type]
          type ? type.receive(@reader, self) : @flood_limit.take("frames of unknown types")
        end

        # GOAWAY, unless there is no room for it.
        def fail_with(error)
          @failed = true
          @window.stop
          code = error.is_a?(ConnectionError) ? error.code : ErrorCode::ENHANCE_YOUR_CALM # the write buffer is full
          @connection.refused(error.message, code) unless code == ErrorCode::NO_ERROR
          Frame::GoAway.write(@write_buffer, @streams.last, code, error.message)
        rescue Server::ConnectionError
          nil
        ensure
          @streams.close_all
        end
      end
    end
  end
end
