# frozen_string_literal: true

require_relative "attack_socket"

module Spate
  module Server
    # An HTTP/1.1 client that sends any bytes.
    class AttackClient < AttackSocket
      STATUS = %r{HTTP/1\.1 (\d{3}) }n

      # Statuses of the responses, in order.
      attr_reader :statuses

      def initialize(port)
        super
        @rest = "".b
        @statuses = []
      end

      def head(path = "/", *lines, verb: "GET")
        ["#{verb} #{path} HTTP/1.1", "host: x", *lines, "", ""].join("\r\n").b
      end

      def post(path, *lines) = head(path, *lines, verb: "POST")
      def chunked(path = "/read") = post(path, "transfer-encoding: chunked")

      # Closes the sending side, and continues to read.
      def half_close
        @socket.close_write
      rescue SystemCallError
        @gone = true
      end

      # Opens connections one after another. The block writes to each, then it is reset.
      def resets(count)
        count.times do
          socket = TCPSocket.new("127.0.0.1", port)
          yield socket
          socket.setsockopt(Socket::SOL_SOCKET, Socket::SO_LINGER, [1, 0].pack("ii"))
          socket.close
        end
      end

      # Returns whether the connection still works.
      def alive?
        before = @statuses.size
        write(head("/last"))
        wait(2) { @statuses.size > before && @statuses.last == 200 }
      end

      # Returns the status of the error response that ended the connection, :closed if it was closed without one, or
      # :open.
      def ending(seconds)
        @silent = false
        wait(seconds) { refusal }
        refusal || (over? ? :closed : :open)
      end

      private

      def refusal = @statuses.find { |status| status >= 400 }

      # Stores the statuses, and discards bodies. A status line may arrive in two pieces.
      def take(bytes)
        @rest << bytes
        @rest.scan(STATUS) { |digits,| @statuses << digits.to_i }
        at = @rest.rindex(STATUS)
        @rest = @rest.byteslice([at ? at + 13 : 0, @rest.bytesize - 12].max..)
      end
    end
  end
end
