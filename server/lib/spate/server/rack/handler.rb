# frozen_string_literal: true

module Spate
  module Server
    module Rack
      # Gives requests to a pool of threads, on which the application answers them.
      class Handler
        # Seconds after which a client that was refused may come again.
        AGAIN = "1"
        # Bytes of a body that is waited for before the application is called: a slow client holds no thread with it.
        # And there are clients that fail when they are answered before they have sent it.
        SMALL = 65_536
        # Seconds that applications have to end when the server stops.
        GRACE = 5

        attr_reader :pool

        def initialize(app, threads:, waiting:, log:)
          @app = app
          @log = log
          @pool = Pool.new(threads, waiting) { |thing| work(thing) }
        end

        # On the reactor's thread; the answer comes later.
        def call(request)
          body = request.body
          return enqueue(request) unless body && (body.length || SMALL + 1) <= SMALL && !body.hesitant?

          body.on_end { enqueue(request) }
          nil
        end

        # On a thread of the pool, when one is free, whatever waits.
        def later(&block) = @pool.push(block, urgent: true)

        def close(seconds = GRACE) = @pool.close(seconds)

        # What an application raised.
        def report(error, request)
          # As bytes: a path and a message need not have the same encoding.
          words = [request.verb, " ", request.path, ": ", error.class.to_s, ": ", error.message.to_s].map(&:b)
          @log.call([words.join, *error.backtrace&.first(20)].join("\n  "))
        end

        private

        def enqueue(request)
          return if @pool.push(request)

          request.answer(Response.text(503, "Too many requests are waiting.\n", "retry-after" => AGAIN))
        end

        # Whatever happens in an application, its thread goes on.
        def work(thing)
          thing.is_a?(Request) ? serve(thing) : thing.call
          done = true
        rescue Exception => e # rubocop:disable Lint/RescueException
          @log.call("#{e.class}: #{e.message}")
        ensure
          thing.answer(failure) if !done && thing.is_a?(Request)
        end

        def failure = Response.text(500, "The server failed.\n")

        # Who asks and takes it back, again and again (CVE-2023-44487), gets no work out of the application.
        def serve(request)
          return if request.abandoned?

          @environment ||= Environment.new
          finished = []
          env = @environment.of(request, finished) or return request.answer(Response.text(400, "Bad request.\n"))
          hijack = env["rack.hijack"] = Hijack.new(request) if request.version != "HTTP/2"
          begin
            status, headers, body = @app.call(env)
          rescue Exception => e # rubocop:disable Lint/RescueException
            return fail(request, env, finished, e) unless hijack&.done?

            return report(e, request)
          end
          return if hijack&.done?

          Reply.new(self, request, env, finished).send(status, headers, body)
        ensure
          input = env && env["rack.input"]
          input.release if input.is_a?(Rewindable)
        end

        def fail(request, env, finished, error)
          report(error, request)
          request.answer(failure)
          finished.reverse_each { |callable| callable.call(env, nil, nil, error) }
        end
      end
    end
  end
end
