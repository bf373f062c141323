# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # env["rack.hijack"]: passes the connection's socket to the application, which has to close it. Only supported in
      # HTTP/1.1 without TLS. Rack 2 applications use env["rack.hijack_io"].
      class Hijack
        # Raised when the connection's socket cannot be handed over.
        class Refused < IOError
        end

        # @!visibility private
        def initialize(request, env)
          @request = request
          @env = env
        end

        # @!visibility private

        # Whether the application has the socket. In that case no response is sent.
        def done? = !@socket.nil?

        # Returns the socket, an IO. Raises Refused.
        def call
          @socket ||= take
          @env["rack.hijack_io"] = @socket
        end

        private

        def take
          answer = Thread::Queue.new
          @request.connection.post { @request.hijack { |*given| answer << given } || answer << nil }
          socket, unsent = answer.pop
          raise Refused, "only connections of HTTP/1.1 in clear text can be hijacked" unless socket

          socket.write(unsent) unless unsent.empty?
          socket
        end
      end
    end
  end
end
