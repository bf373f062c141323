# frozen_string_literal: true

module Spate
  module Server
    module Transport
      # TLS, and one sentence in clear text for who does not speak it.
      class TLS
        READ = 1
        # Where Limits says nothing of it.
        HANDSHAKE_SECONDS = 10
        # Bytes of somebody else's protocol that are read, so that our answer is not lost with them.
        SKIPPED = 1 << 20
        SENTENCE = "This port speaks TLS: the address is to begin with https://\n"
        ANSWER = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n" \
                 "content-length: #{SENTENCE.bytesize}\r\nconnection: close\r\n\r\n#{SENTENCE}".freeze

        attr_reader :descriptor

        # settings: what Server::TLS.load answers; the connection keeps the certificate that it begins with.
        def initialize(socket, settings)
          @socket = socket
          @descriptor = socket.fileno
          @native = Native::TLSConnection.new(settings.context, @descriptor)
        end

        def receive(buffer, offset)
          return skip(buffer) if @skipped

          @native.receive(buffer, offset)
        rescue Errno::EPROTO
          raise unless @native.clear_text?

          answer_in_clear_text
        end

        def low_water(_bytes) = false
        def flush(outbox) = @native.flush(outbox)
        def wanted = @skipped ? READ : @native.wanted
        def pending? = @native.pending?
        def ready? = @native.ready?
        def protocol = @native.protocol
        def scheme = "https"
        def peer = Transport.address(@socket)

        # The whole handshake, however busily its bytes drip in.
        def late?(seconds, limits) = seconds > limit(limits) && !@native.ready?

        # What goes through the socket is not the application's.
        def detach = nil

        def close
          @native.close
          @socket.close
        end

        private

        def limit(limits) = limits.respond_to?(:handshake_seconds) ? limits.handshake_seconds : HANDSHAKE_SECONDS

        # The socket is new, its buffer is empty: the answer fits.
        def answer_in_clear_text
          @skipped = 0
          @socket.write_nonblock(ANSWER, exception: false)
          @socket.close_write
          nil
        end

        # Until the peer closes: a socket with unread bytes would be reset, and the answer with it.
        def skip(buffer)
          count = Native.receive(@descriptor, buffer, 0) or return
          @skipped += count
          count.zero? || @skipped > SKIPPED ? 0 : nil
        end
      end
    end
  end
end
