# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # TLS through libssl (ext/tls), and one sentence in clear text for clients that do not speak it.
      class TLS < Transport
        autoload :Error, "spate/server/connection/tls/error"
        autoload :PEM, "spate/server/connection/tls/pem"
        autoload :Pair, "spate/server/connection/tls/pair"
        autoload :SelfSigned, "spate/server/connection/tls/self_signed"
        autoload :Settings, "spate/server/connection/tls/settings"

        # Bytes of somebody else's protocol that are read, so that our answer is not lost with them.
        SKIPPED = 1 << 20
        SENTENCE = "This port speaks TLS: the address is to begin with https://\n"
        ANSWER = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n" \
                 "content-length: #{SENTENCE.bytesize}\r\nconnection: close\r\n\r\n#{SENTENCE}".freeze

        # Settings, for the connections of a server. cert: path of a PEM file with the server's certificate and then
        # those between it and its root; nil for one that is made for localhost and kept in `folder` (nil: the user's
        # cache folder). key: path of its key, RSA, EC or Ed25519; nil where it is in the same file. ktls: let the
        # kernel encrypt where it can. Error where something of it cannot be used, or libssl was missing when this gem
        # was built.
        def self.load(cert: nil, key: nil, folder: nil, ktls: true)
          check_native
          if key && cert.nil?
            raise Error.new("#{key} is a key without a certificate", hint: "name the certificate too: --cert FILE")
          end

          pair = cert ? Pair.new(cert, key || cert) : SelfSigned.new(folder || SelfSigned.folder)
          Settings.new(pair, ktls: ktls)
        end

        def self.check_native
          return if defined?(Native::TLSContext)

          require "spate/server/native/tls"
          raise LoadError, "libssl was missing when spate-server was built" unless defined?(Native::TLSContext)
        rescue LoadError => e
          raise Error.new("TLS is not there: #{e.message.lines.first.chomp}",
                          hint: "install OpenSSL's headers (Debian: libssl-dev and pkg-config), then spate-server " \
                                "again")
        end
        private_class_method :check_native

        # settings: what `load` answers; the connection keeps the certificate that it begins with.
        def initialize(socket, settings)
          super(socket)
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
        def flush(write_buffer) = @native.flush(write_buffer)
        def wanted = @skipped ? READ : @native.wanted
        def pending? = @native.pending?
        def ready? = @native.ready?
        def protocol = @native.protocol
        def scheme = "https"

        # The whole handshake, however busily its bytes drip in.
        def late?(seconds, limits) = seconds > limits.handshake_seconds && !@native.ready?

        # What goes through the socket is not the application's.
        def detach = nil

        def close
          @native.close
          @socket.close
        end

        private

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
