# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP2
      # HTTP/2 (RFC 9113) on a connection: reads frames from a buffer and writes frames to a write buffer, without a
      # socket. The frame modules apply frames, Requests handles requests, and Responses handles responses.
      class Protocol
        # If the write buffer has less free room, nothing more is read, because responses might not fit.
        ROOM_FOR_ANSWERS = 32_768
        TABLE_SIZE = 4096
        MAX_FRAME = 16_384
        FRAME_HEADER = 9
        # How long a peer gets to read the GOAWAY that ends its connection, in seconds.
        LAST_WORDS = 1

        # buffer: the ArrayBuffer with the frames being received. frames: number of frames received so far. partial:
        # bytes of the incomplete frame. open_block: see Frame::Headers. window: the bytes that the peer may send.
        attr_reader :write_buffer, :limits, :streams, :flood_limit, :buffer, :settings, :connection, :scheduler,
                    :window, :requests, :frames, :partial
        attr_accessor :open_block

        # handler: `call(request)` returns a Response, or nil and responds later.
        def initialize(write_buffer, handler, limits, connection: Connection::Null::ONE, log: nil)
          @write_buffer = write_buffer
          @limits = limits
          @connection = connection
          @reader = Native::FrameReader.new(MAX_FRAME, Frame::Data::JOINED)
          @settings = PeerSettings.new
          @flood_limit = Limits::TokenBucket.new(limits.control_frames, limits.control_frames_per_second) do |reason|
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

        # Processes frames between two offsets of an ArrayBuffer. Returns the offset of the first unprocessed frame.
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

        # Fills the write buffer with the output of streams.
        def produce
          @scheduler.produce { |stream, error| error ? @responses.failed(stream, error) : @responses.body_sent(stream) }
        end

        # Whether `produce` would write bytes, or frames wait for the next tick.
        def ready? = (@spent || @scheduler.ready?) && !@failed
        # Whether a request is open. A connection with open requests is not idle.
        def busy? = !@streams.empty?
        # Whether the connection ends when the write buffer is empty.
        def finished? = @failed || (leaving? && @streams.empty?)
        # Called when the peer closes its side. Returns false, because HTTP/2 does not continue on a half-closed
        # connection.
        def ended(_more) = false

        # Whether the last bytes belong to a request's body and more of the body follows.
        def body_follows? = @reader.type == Frame::Data::TYPE && (@partial.positive? || !@reader.end_stream?)
        def partial_data? = @partial >= FRAME_HEADER && @reader.type == Frame::Data::TYPE

        # Called once a second. now: seconds, monotonic. A late peer gets GOAWAY. Returns true when the peer does not
        # read the GOAWAY either.
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

        # Called when the server is stopping: open requests continue (section 6.8).
        def leave
          return @leaves = true if @preface # SETTINGS come first

          @shutdown = GracefulShutdown.new(self) unless @failed || @shutdown
        end

        # Whether new requests are ignored.
        def leaving? = @shutdown&.over? || false

        def close
          @window.close
          @streams.close_all
        end

        # The following methods are for frames and requests.

        # content: the content of a frame, a String. data: the same for DATA, possibly of several joined frames.
        def content(frame) = view.get_bytes(frame.content_offset, frame.content_length)
        def data(frame) = frame.data(@buffer)

        # greeted?: whether the peer's SETTINGS arrived. acknowledged?: whether the peer acknowledged the server's
        # SETTINGS.
        def greeted? = !@first
        def acknowledged? = @unacknowledged.zero?

        def settings_acknowledged
          return @flood_limit.take("acknowledgements without SETTINGS") if @unacknowledged.zero?

          @unacknowledged -= 1
        end

        # Applies the peer's SETTINGS (sections 6.5.2 and 6.9.2). parameters: [identifier, value, identifier, value,
        # ...].
        def apply_settings(parameters)
          window = @settings.initial_window_size
          parameters.each_slice(2) { |identifier, value| @settings.set(identifier, value) }
          @responses.header_table_size = @settings.header_table_size
          change = @settings.initial_window_size - window
          @streams.each { |stream| @scheduler.widen_all(stream, change) } unless change.zero?
        end

        # Called for the answer to a PING. An answer to a PING that the server did not send is charged as a flood.
        def ping_answered(opaque)
          return if @shutdown&.answered(opaque) || opaque == Deadlines::ALIVE

          @flood_limit.take("answers without PING")
        end

        # Sets the priority of a request (RFC 9218, section 7.1). The priority of a future request is stored as long as
        # that request can still arrive.
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

        # A DataView checks the bounds of each read. It is cached, because the buffer is the same for the reactor's
        # lifetime.
        def view
          @view = DataView.new(@buffer) unless @view&.buffer.equal?(@buffer)
          @view
        end

        def free? = Native::WriteBuffer::BYTES - @write_buffer.pending >= ROOM_FOR_ANSWERS

        def receive_preface(from, to)
          length = [to - from, PREFACE.bytesize].min
          if view.get_bytes(from, length) != PREFACE.byteslice(0, length)
            raise ConnectionError, "the connection does not begin with the HTTP/2 preface"
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

        # Processes complete frames. Sets @spent if frames have to wait for the next tick. The budget is checked before
        # a frame is read, because reading a frame changes the reader's state.
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

        # Reads the next frame, or several joined DATA frames. Returns nil if the frame is incomplete. A frame with a
        # stream error is handled here and then skipped.
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
            raise ConnectionError, "the first frame is not SETTINGS" if @reader.type != Frame::Settings::TYPE
          end
          raise @faulty if @faulty

          apply
          from + @reader.size
        rescue StreamError => e
          # A peer can attack with resets that it provokes as well as with resets that it sends (CVE-2025-8671).
          @flood_limit.take("streams with errors")
          @streams.fail(e)
          from + @reader.size
        end

        # Applies the frame. Unknown types are ignored (section 4.1), but charged.
        def apply
          type = Frame::TYPES[@reader.type]
          type ? type.receive(@reader, self) : @flood_limit.take("frames of unknown types")
        end

        # Sends GOAWAY, unless the write buffer has no room for it.
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
