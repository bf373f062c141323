# frozen_string_literal: true

module Spate
  module Server
    class Connection
      # TLS through libssl (ext/tls), with an unencrypted response for clients that do not use TLS.
      class TLS < Transport
        autoload :Error, "spate/server/connection/tls/pair"
        autoload :PEM, "spate/server/connection/tls/pair"
        autoload :Pair, "spate/server/connection/tls/pair"
        autoload :SelfSigned, "spate/server/connection/tls/self_signed"
        autoload :Settings, "spate/server/connection/tls/settings"

        # Maximum bytes of a clear-text request that are read and discarded, so that the client receives the response.
        SKIPPED = 1 << 20
        SENTENCE = "This port uses TLS: use an address that begins with https://\n"
        ANSWER = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\n" \
                 "content-length: #{SENTENCE.bytesize}\r\nconnection: close\r\n\r\n#{SENTENCE}".freeze

        # Returns the Settings for a server's connections. cert: path of a PEM file with the server's certificate,
        # followed by the intermediate certificates; nil for a self-signed certificate for localhost, stored in `folder`
        # (nil: the user's cache folder). key: path of the certificate's key (RSA, EC or Ed25519); nil when the key is
        # in the same file. ktls: whether to use kTLS if the kernel supports it. Raises Error for an unusable file, or
        # when this gem was built without libssl.
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
          raise Error.new("TLS is unavailable: #{e.message.lines.first.chomp}",
                          hint: "install OpenSSL's headers (Debian: libssl-dev and pkg-config), then spate-server " \
                                "again")
        end
        private_class_method :check_native

        # settings: the result of `load`. The connection keeps the certificate that it starts with.
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

        # The time limit applies to the whole handshake, even when bytes keep arriving.
        def late?(seconds, limits) = seconds > limits.handshake_seconds && !@native.ready?

        # Returns nil: the socket carries TLS records, which an application cannot use.
        def detach = nil

        def close
          @native.close
          @socket.close
        end

        private

        # Sends the response. It fits into the send buffer of the new socket, which is empty.
        def answer_in_clear_text
          @skipped = 0
          @socket.write_nonblock(ANSWER, exception: false)
          @socket.close_write
          nil
        end

        # Skips input until the peer closes. Closing a socket with unread bytes would reset the connection, and the
        # response would be lost.
        def skip(buffer)
          count = Native.receive(@descriptor, buffer, 0) or return
          @skipped += count
          count.zero? || @skipped > SKIPPED ? 0 : nil
        end
      end
    end
  end
end
