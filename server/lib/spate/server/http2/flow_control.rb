# frozen_string_literal: true

module Spate
  module Server
    module HTTP2
      # Windows and what settings do to them: RFC 9113, sections 5.2, 6.5 and 6.9. Part of Protocol.
      module FlowControl
        def receive_data(frame)
          widen while @receive_window.low?(frame.length) && @allowance.more?
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

        # Parameters of SETTINGS as [identifier, value, identifier, value, ...].
        def apply_settings(parameters)
          window = @settings.initial_window_size
          parameters.each_slice(2) { |identifier, value| @settings.set(identifier, value) }
          @responses.header_table_size = @settings.header_table_size
          grow_all(@settings.initial_window_size - window)
        end

        def settings_acknowledged
          return @patience.try("acknowledgements of no SETTINGS") if @unacknowledged.zero?

          @unacknowledged -= 1
        end

        # Whether the peer knows our settings.
        def acknowledged? = @unacknowledged.zero?

        private

        def widen
          more = @allowance.widen
          @receive_window.grow(more)
          Frame::WindowUpdate.write(@outbox, 0, more)
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
      end
    end
  end
end
