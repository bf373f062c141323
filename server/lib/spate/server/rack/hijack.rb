# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # env["rack.hijack"]: the connection's socket for the application, which closes it. HTTP/1.1 in clear text only.
      # Applications of Rack 2's time take it from env["rack.hijack_io"].
      class Hijack
        # The connection has no socket that could be given away.
        class Refused < IOError
        end

        def initialize(request, env)
          @request = request
          @env = env
        end

        # Whether the application has the socket: there is nobody to answer any more.
        def done? = !@socket.nil?

        # Answers the IO. Refused.
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
