# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Passes requests to a pool of threads that run the application.
      class Handler
        # Seconds that the application's threads have to finish when the server stops.
        GRACE = 5

        # pool: the threads. quota: the space used by buffered bodies. sendfile: a Sendfile, or nil.
        attr_reader :pool, :quota, :sendfile

        # environment: the keywords of Environment.new. hooks: Arrays of blocks by name. queue_time: called on the
        # application's threads with the seconds that a request waited for one.
        def initialize(app, threads:, waiting:, log:, sendfile: nil, hooks: {}, queue_time: nil, **environment)
          @app = app
          @queue_time = queue_time
          @hooks = hooks
          @log = log
          @sendfile = sendfile
          @options = environment.merge(sendfile: !sendfile.nil?)
          @quota = BufferedBody::Quota.new
          @pool = ThreadPool.new(threads, waiting, hook: method(:run_hooks)) { |thing| work(thing) }
        end

        # Called on the reactor's thread. The response follows later. The body is read first, so that a slow client
        # occupies no thread, and because some clients fail when they get a response before they have sent the body.
        def call(request)
          body = request.body or return enqueue(request)
          limits = limits(request)
          body.buffered = BufferedBody.new(body, limits, @quota)
          return enqueue(request) if limits.body_buffer.zero?

          body.buffered.begin { |error| error ? refuse(request, error) : enqueue(request) }
          nil
        end

        # Runs the block on the next free thread of the pool, even when the queue is full.
        def later(&block) = @pool.push(block, urgent: true)

        def close(seconds = GRACE)
          @pool.close(seconds)
          @sendfile&.close
        end

        # Logs an application's error.
        def report(error, request)
          # Joins bytes, because a path and a message may have different encodings.
          words = [request.verb, " ", request.path, ": ", error.class.to_s, ": ", error.message.to_s].map(&:b)
          @log.call([words.join, *error.backtrace&.first(20)].join("\n  "))
        end

        private

        def limits(request) = request.connection.limits || (@limits ||= Limits.defaults)

        def enqueue(request)
          request.queued_at = Server.now
          return if @pool.push(request)

          release(request)
          request.answer(busy("Too many requests are waiting."))
        end

        # error: why the body could not be written to a file, or :full.
        def refuse(request, error)
          return request.answer(busy("Too many request bodies are being received.")) if error == :full

          @log.call("a request's body cannot be buffered: #{error.message}; set TMPDIR to another folder")
          request.answer(busy("The request's body cannot be buffered."))
        end

        def busy(text) = Response.busy("#{text}\n")

        def release(request) = request.body&.buffered&.release

        # Processes an item of the queue. The thread continues after any error of an application.
        def work(thing)
          thing.is_a?(Request) ? serve(thing) : thing.call
          done = true
        rescue Exception => e # rubocop:disable Lint/RescueException
          @log.call("#{e.class}: #{e.message}")
        ensure
          thing.answer(Response.failure) if !done && thing.is_a?(Request)
        end

        # Runs a hook of a pool thread. Only logs errors, because requests would wait forever if the thread ended.
        def run_hooks(name)
          @hooks[name]&.each(&:call)
        rescue Exception => e # rubocop:disable Lint/RescueException
          @log.call("#{name}: #{e.message} (#{e.class})")
        end

        # Skips abandoned requests, so that a client that repeatedly sends and resets requests (CVE-2023-44487) causes
        # no work for the application.
        def serve(request)
          return if request.abandoned?

          waited = Server.now - request.queued_at
          @queue_time&.call(waited)
          @environment ||= Environment.new(**@options)
          callbacks = Callbacks.new
          env = @environment.of(request, callbacks) or return request.answer(Response.text(400, "Bad request.\n"))
          env["spate.queue_seconds"] = waited
          input = env["rack.input"] # the application may replace it
          hijack = env["rack.hijack"] = Hijack.new(request, env) if request.version != "HTTP/2"
          begin
            status, headers, body = @app.call(env)
          rescue Exception => e # rubocop:disable Lint/RescueException
            return fail(request, env, callbacks, e) unless hijack&.done?

            return report(e, request)
          end
          return if hijack&.done?

          Reply.new(self, request, env, input, callbacks).send(status, headers, body)
        ensure
          release(request)
        end

        def fail(request, env, callbacks, error)
          report(error, request)
          response = response_for(error, env, request)
          return Reply.new(self, request, env, env["rack.input"], callbacks).send(*response) if response

          request.answer(Response.failure)
          callbacks.run(env, nil, nil, error) { |e| report(e, request) }
        end

        # Returns the response of the last lowlevel_error_handler, or nil. As in puma, the block may take fewer than
        # three arguments.
        def response_for(error, env, request)
          block = @hooks[:lowlevel_error_handler]&.last or return
          block.call(*[error, env, 500].first(block.arity.negative? ? 3 : block.arity))
        rescue StandardError => e
          report(e, request)
          nil
        end
      end
    end
  end
end
