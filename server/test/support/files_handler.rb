# frozen_string_literal: true

require "timeout"
require "spate/server/native/files"

module Spate
  module Server
    # Calls the handler of a folder "www" with requests, and returns its responses.
    module FilesHandler
      SECONDS = 10

      # A request with a destination for its response, like one of a connection.
      class Exchange
        def initialize
          @answers = Thread::Queue.new
        end

        def respond(_stream, response) = @answers << response
        def answer = Timeout.timeout(SECONDS) { @answers.pop }
      end

      def www = File.join(folder, "www")

      # Writes a file with an old modification time, so that it may be cached.
      def put(name, content)
        write("www/#{name}", content)
      end

      def files(**options) = @files ||= Files.new(www, **options)

      def teardown
        @files&.close
        super
      end

      def get(target, verb: "GET", **headers)
        fields = headers.flat_map { |name, value| [name.to_s.tr("_", "-"), value] }
        exchange = Exchange.new
        request = Request.received(verb: verb, target: target, scheme: "http", authority: "localhost", fields: fields,
                                   first: 0, version: "HTTP/2", body: nil, connection: Connection::Null::ONE,
                                   exchange: exchange)
        response = files.call(request)
        return exchange.answer unless response

        response
      end

      # Returns the whole body of a response.
      def content(response)
        write_buffer = Native::WriteBuffer.new([])
        bytes = "".b
        body = response.body
        Timeout.timeout(SECONDS) do
          until body.nil? || body.done?
            sleep 0.001 until !body.respond_to?(:ready?) || body.ready?
            body.raw(write_buffer, write_buffer.room)
            bytes << write_buffer.to_s
            write_buffer.clear
          end
        end
        bytes
      ensure
        response.close
      end

      def status(target, **headers)
        response = get(target, **headers)
        response.close
        response.status
      end
    end
  end
end
