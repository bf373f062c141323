# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP2
      # A connection's HTTP/2, between bytes that came and an outbox of bytes to go: RFC 9113. Knows no socket.
      # What frames do to it is in the frames' files, what requests do in Requests.
      class Protocol
        # With less free room in the outbox nothing more is read: answers might not fit.
        ROOM_FOR_ANSWERS = 32_768
        TABLE_SIZE = 4096
        MAX_FRAME = 16_384

        # buffer: that of the frames that are being received. open_block: see Frame::Headers.
        attr_reader :outbox, :limits, :streams, :patience, :buffer, :settings
        attr_accessor :open_block

        # handler: `call(request)` answers a Response, or nil and answers later.
        def initialize(outbox, handler, limits, log: nil)
          @outbox = outbox
          @limits = limits
          @log = log
          @reader = Native::FrameReader.new(MAX_FRAME)
          @settings = PeerSettings.new
          @patience = Patience.new(limits.annoyances, limits.annoyances_a_second)
          @streams = Streams.new
          @sender = Sender.new(outbox)
          @receive_window = ReceiveWindow.new(limits.connection_window)
          @requests = Requests.new(self, handler, log: log)
          @streams.on_close { |stream| consume_connection(stream.unread) }
          @preface = true
          @first = true
        end

        # Frames between two offsets of an ArrayBuffer. Answers where the first one begins that was not taken.
        def receive(buffer, from, to)
          @buffer = buffer
          from = receive_preface(from, to) if @preface
          return from if @preface

          from = receive_frame(from) while !@failed && free? && next_frame(from, to)
          @failed ? to : from
        rescue ConnectionError => e
          fail_with(e)
          to
        end

        # Fills the outbox with what streams have to send.
        def produce
          @sender.produce(@settings.data_frame_size) do |stream, error|
            error ? reset_failed(stream, error) : @requests.body_sent(stream)
          end
        end

        # Whether `produce` would bring something; whether the connection is over once the outbox is empty.
        def ready? = @sender.ready? && !@failed
        def finished? = @failed || (@leaving && @streams.empty?)
        # Whether a request is being worked on: such a connection is not idle.
        def busy? = !@streams.empty?

        # The server stops: what is open goes on, nothing new is taken (section 6.8).
        def leave
          return if @leaving || @failed

          @leaving = true
          Frame::GoAway.write(@outbox, @streams.last, Code::NO_ERROR)
        end

        def leaving? = @leaving
        def peer_leaves = nil
        def close = @streams.close_all

        # What follows is for frames and requests.

        # A frame's content as a String.
        def content(frame) = view.get_bytes(frame.content_offset, frame.content_length)

        def receive_block(...) = @requests.receive_block(...)

        def receive_data(frame)
          unless @receive_window.receive(frame.length)
            raise ConnectionError.new("more than the connection's window", Code::FLOW_CONTROL_ERROR)
          end

          @requests.receive_data(frame)
        end

        # Bytes of the connection's window that are free again.
        def consume_connection(count)
          offer = count.positive? && !@failed ? @receive_window.consume(count) : nil
          Frame::WindowUpdate.write(@outbox, 0, offer) if offer
        end

        # Parameters of SETTINGS as [identifier, value, identifier, value, ...].
        def apply_settings(parameters)
          window = @settings.initial_window_size
          parameters.each_slice(2) { |identifier, value| @settings.set(identifier, value) }
          @requests.header_table_size = @settings.header_table_size
          grow_all(@settings.initial_window_size - window)
        end

        def settings_acknowledged = nil

        def grow_connection(increment)
          return if @sender.window.grow(increment)

          raise ConnectionError.new("the connection's window is larger than any may be", Code::FLOW_CONTROL_ERROR)
        end

        def grow_stream(id, increment)
          stream = @streams[id] or return
          unless stream.window.grow(increment)
            raise StreamError.new("the stream's window is larger than any may be", Code::FLOW_CONTROL_ERROR, id)
          end

          @sender.enqueue(stream)
        end

        def enqueue(stream) = @sender.enqueue(stream)

        def check_not_idle(frame, name)
          raise ConnectionError, "#{name} on stream #{frame.stream}, which is idle" if @streams.idle?(frame.stream)
        end

        # Ends a stream from our side.
        def reset(id, code)
          Frame::RstStream.write(@outbox, id, code)
          @streams.remember_reset(id)
          @streams.forget(id)
        end

        private

        # DataView's reads raise past the end; the buffer is the same for the reactor's life.
        def view
          @view = DataView.new(@buffer) unless @view&.buffer.equal?(@buffer)
          @view
        end

        def free? = Native::Outbox::BYTES - @outbox.pending >= ROOM_FOR_ANSWERS

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
          Frame::Settings.write(@outbox, PeerSettings::MAX_CONCURRENT_STREAMS => @limits.streams,
                                         PeerSettings::INITIAL_WINDOW_SIZE => @limits.stream_window,
                                         PeerSettings::MAX_HEADER_LIST_SIZE => @limits.header_bytes,
                                         PeerSettings::NO_RFC7540_PRIORITIES => 1)
          Frame::WindowUpdate.write(@outbox, 0, @limits.connection_window - 65_535)
        end

        # Whether a whole frame is there. One with an error of its stream's is dealt with here, and then passed over.
        def next_frame(from, to)
          @faulty = nil
          @reader.next(@buffer, from, to)
        rescue StreamError => e
          @faulty = e
        end

        def receive_frame(from)
          if @first
            @first = false
            raise ConnectionError, "the first frame is no SETTINGS" if @reader.type != Frame::Settings::TYPE
          end
          raise @faulty if @faulty

          Frame.receive(@reader, self)
          from + @reader.size
        rescue StreamError => e
          fail_stream(e)
          from + @reader.size
        end

        def grow_all(difference)
          return if difference.zero?

          @streams.each do |stream|
            unless stream.window.grow(difference)
              raise ConnectionError.new("a stream's window is larger than any may be", Code::FLOW_CONTROL_ERROR)
            end

            @sender.enqueue(stream)
          end
        end

        # Resets that the peer provokes are as good for an attack as its own (CVE-2025-8671).
        def fail_stream(error)
          @log&.call("stream #{error.stream}: #{error.message}")
          @patience.try("streams with errors")
          reset(error.stream, error.code)
        end

        def reset_failed(stream, error)
          @log&.call("stream #{stream.id}: #{error.class}: #{error.message}")
          reset(stream.id, Code::INTERNAL_ERROR)
        end

        def fail_with(error)
          @failed = true
          @log&.call("connection: #{error.message}")
          Frame::GoAway.write(@outbox, @streams.last, error.code, error.message)
          @streams.close_all
        rescue ConnectionError
          nil # no room for it
        end
      end
    end
  end
end
