# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Sends an application's response, on the application's thread.
      class Reply
        GONE = [Response::Body::Queue::Disconnected, Request::Body::Aborted].freeze

        # input: the server's own Input, even if the application replaced rack.input.
        def initialize(handler, request, env, input, callbacks)
          @handler = handler
          @request = request
          @env = env
          @input = input
          @callbacks = callbacks
        end

        def send(status, headers, body)
          @status = status.to_i
          @headers = headers
          @body = body
          stream = headers.frozen? ? headers["rack.hijack"] : headers.delete("rack.hijack")
          @fields = Fields.of(headers)
          @fields.delete("content-length") if @status == 204 # RFC 9110, section 8.6
          @trailers = -> { @env[Environment::TRAILERS] } if @fields.key?("trailer")
          named = @handler.sendfile&.find(@fields) and return send_named(*named)

          tell_length_of(body) if @request.head?
          return whole(nil) { close } if @request.head? || @status == 204 || @status == 304

          # Rack::Chunked encodes chunks even for HTTP/2.
          @chunked = @fields.delete("transfer-encoding") == "chunked" unless @request.version == "HTTP/1.1"
          stream ? flow(stream) : choose(body)
        rescue Exception => e # rubocop:disable Lint/RescueException
          broken(e)
        end

        private

        def choose(body)
          return parts(body) if @chunked && body.respond_to?(:each)
          return bytes(body) if body.is_a?(Array)
          return if body.respond_to?(:to_path) && file(body.to_path)

          array = array(body)
          return bytes(array) { close } if array

          body.respond_to?(:each) ? parts(body) : flow(body)
        end

        # Returns nil when the body cannot be converted to an Array. A body with a content-length is not converted,
        # because it can be streamed. In Rack 3, `each` is used, because to_ary should also close the body, but some
        # bodies do not do that. In Rails 6.1, to_ary returns nil.
        def array(body)
          return if @fields.key?("content-length") || !body.respond_to?(:to_ary)

          array = Rack.second? ? body.to_ary : body.enum_for(:each).to_a
          array if array.is_a?(Array)
        end

        def bytes(array, &block)
          body = array.size == 1 ? array.first : array.each_with_object("".b) { |part, all| all << part.b }
          tell_length(body.bytesize) if body
          whole(body, &block)
        end

        # Sets the content-length of a body whose length is known.
        def tell_length(count)
          return if @trailers || @status < 200 || @fields.key?("content-length") || @fields.key?("transfer-encoding")

          @fields["content-length"] = count.to_s
        end

        # Sets the content-length of a response to HEAD, if the body's length is known.
        def tell_length_of(body)
          return if @status == 204 || @status == 304

          path = body.to_path if body.respond_to?(:to_path)
          return tell_length(File.size(path)) if path && File.file?(path)

          parts = body.is_a?(Array) ? body : array(body)
          tell_length(parts.sum { |part| part.to_s.bytesize }) if parts
        end

        # Sends a body that is complete.
        def whole(body, &block)
          block&.call
          response = response(body) { |error| finish_later(error) }
          early? ? hear(response) : @request.answer(response)
        end

        # In HTTP/2, a client that is still sending may mistake the end of the response for the end of its own request,
        # and hang (curl 7.88). An error response is still sent early, to stop the client.
        def early?
          body = @request.body
          @request.version == "HTTP/2" && @status < 400 && !(body.nil? || body.whole? || body.hesitant?)
        end

        # Sends the response after the whole request has been received, as puma does.
        def hear(response)
          @request.connection.post do
            body = @request.body.discard
            body.on_end { @request.answer(response) }
            body.on_lost { response.close(:cancelled) }
          end
        end

        # Sends the file that the application has named in a field. Conditions and ranges apply to GET and HEAD only.
        def send_named(root, name)
          unless @status == 200 && %w[GET HEAD].include?(@request.verb)
            @fields.delete("content-length") # that of the body, which is not sent
            return send_file(@handler.sendfile.open(root, name))
          end

          close
          @request.connection.post do
            @request.answer(@handler.sendfile.respond(@request, root, name, @fields) { |error| finish_later(error) })
          end
        end

        # Sends a file. Returns false when the file is missing, or its size differs from the announced length.
        def file(path)
          file = path && File.open(path, File::RDONLY | File::NONBLOCK)
          length = @fields["content-length"]
          return file&.close && false unless file&.stat&.file? && (length.nil? || length.to_i == file.size)

          send_file(file)
          true
        rescue SystemCallError
          false
        end

        # file: a File or a Native::Found.
        def send_file(file)
          @fields["content-length"] ||= file.size.to_s
          close # on this thread, because frameworks keep state per thread; the opened file is not affected
          answer(Response::Body::FileRange.new(file)) { |error| finish_later(error) }
        end

        # Sends parts. The response starts with the first part, so that an earlier error of the application becomes a
        # 500.
        def parts(body)
          queue = nil
          body.each do |part|
            queue ||= open
            queue.push(part)
          end
          queue ? queue.finish : answer(nil)
        rescue Exception => e # rubocop:disable Lint/RescueException
          error = e
          queue ? fail(queue, e) : broken(e)
        ensure
          close
          finish(error)
        end

        # Runs a streaming body. The application writes, and may read the rest of the request or, with status 101, all
        # further input.
        def flow(callable)
          @request.body&.want
          @tunnel = Request::Body.new(nil, connection: @request.connection) if @status == 101
          queue = open
          # If the application passes the stream to another thread, that thread closes it.
          callable.call(Stream.new(@tunnel ? Input.new(@tunnel) : @input, queue))
        rescue Exception => e # rubocop:disable Lint/RescueException
          error = e
          fail(queue, e)
        ensure
          close
          finish(error)
        end

        # Starts the response. Returns the queue for the parts of its body.
        def open
          queue = Response::Body::Queue.new
          answer(queue)
          @chunked ? ChunkDecoder.new(queue) : queue
        end

        # Ends the response with an error. A disconnected client is not an error of the application.
        def fail(queue, error)
          @handler.report(error, @request) unless GONE.any? { |kind| error.is_a?(kind) }
          queue.fail(error)
        end

        def broken(error)
          @handler.report(error, @request)
          @request.answer(Response.failure)
          close
          finish(error)
        end

        def answer(...) = @request.answer(response(...))

        def response(body, &closed)
          Response.new(@status, @fields, body, trailers: @trailers, tunnel: @tunnel, &closed)
        end

        def close
          body, @body = @body, nil
          body.close if body.respond_to?(:close)
        end

        # Called on the reactor's thread.
        def finish_later(error)
          @handler.later { finish(error) } unless @callbacks.empty?
        end

        def finish(error)
          error = Response::Body::Queue::Disconnected.new("the client has disconnected") if error == :cancelled
          @callbacks.run(@env, @status, @headers, error) { |e| @handler.report(e, @request) }
        end
      end
    end
  end
end
