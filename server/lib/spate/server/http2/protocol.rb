# frozen_string_literal: true

require "spate/bytes"

module Spate
  module Server
    module HTTP2
      # A connection's HTTP/2, between bytes that came and an outbox of bytes to go: RFC 9113. Knows no socket.
      # What frames do to it is in the frames' files, what requests do in Requests, answers in Responses.
      class Protocol
        include Endings
        include FlowControl

        # With less free room in the outbox nothing more is read: answers might not fit.
        ROOM_FOR_ANSWERS = 32_768
        TABLE_SIZE = 4096
        MAX_FRAME = 16_384
        FRAME_HEADER = 9

        # buffer: that of the frames that are being received. frames: how many came. partial: bytes of the one that is
        # not whole yet. open_block: see Frame::Headers.
        attr_reader :outbox, :limits, :streams, :patience, :buffer, :settings, :connection, :sender, :receive_window,
                    :frames, :partial
        attr_accessor :open_block

        # handler: `call(request)` answers a Response, or nil and answers later.
        def initialize(outbox, handler, limits, connection: Unconnected::NONE, log: nil)
          @outbox = outbox
          @limits = limits
          @connection = connection
          @log = log
          @reader = Native::FrameReader.new(MAX_FRAME, Frame::Data::JOINED)
          @settings = PeerSettings.new
          @patience = Patience.new(limits.annoyances, limits.annoyances_a_second) do |reason|
            ConnectionError.new(reason, Code::ENHANCE_YOUR_CALM)
          end
          @budget = Budget.new(limits.frames_a_turn)
          @streams = Streams.new(self)
          @sender = Sender.new(outbox, @patience)
          @allowance = Allowance.of(connection, limits, limits.connection_window)
          @receive_window = ReceiveWindow.new(@allowance.size)
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

        # Fills the outbox with what streams have to send.
        def produce
          @sender.produce do |stream, error|
            error ? reset_failed(stream, error) : @responses.body_sent(stream)
          end
        end

        # Whether `produce` would bring something, or frames wait that had no part in the last turn.
        def ready? = (@spent || @sender.ready?) && !@failed
        # Whether a request is being worked on: such a connection is not idle.
        def busy? = !@streams.empty?

        # Whether the last bytes were of a request's body, and more of it is to come.
        def body_follows? = @reader.type == Frame::Data::TYPE && (@partial.positive? || !@reader.end_stream?)
        def partial_data? = @partial >= FRAME_HEADER && @reader.type == Frame::Data::TYPE
        # Whether the peer's SETTINGS came.
        def greeted? = !@first

        # What follows is for frames and requests.

        # A frame's content as a String; that of DATA, which may be several frames' that were joined.
        def content(frame) = view.get_bytes(frame.content_offset, frame.content_length)
        def data(frame) = frame.data(@buffer)

        def receive_block(id, end_stream, faulty, source, offset, length)
          @requests.receive_block(id, end_stream, faulty, source, offset, length)
        end

        def enqueue(stream) = @sender.enqueue(stream)

        # length: of the response's body, or nil where nobody knows.
        def sent_at_once?(stream, length)
          return false if length.nil? || !@sender.at_once(stream, length)

          stream.sent?
        end

        # The peer opens no more streams; those that are open go on.
        def peer_leaves = @patience.spend("GOAWAY frames")

        # What our PING asked for; anything else was not asked for.
        def ping_answered(opaque)
          return if @departure&.answered(opaque) || opaque == Deadlines::ALIVE

          @patience.try("answers to no PING")
        end

        # RFC 9218, section 7.1. priority: see Priority. What is said of a request to come is kept as long as there may
        # be such a request.
        def prioritize(id, priority)
          stream = @streams[id]
          return @sender.move(stream, priority) if stream
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
          @unacknowledged = 1
          leave if @leaves
        end

        # @spent: frames wait for the connection's next turn. Nothing is read before that is known: the reader
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
          @budget.spend(@reader.count - 1)
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

          Frame.receive(@reader, self)
          from + @reader.size
        rescue StreamError => e
          fail_stream(e)
          from + @reader.size
        end
      end
    end
  end
end
