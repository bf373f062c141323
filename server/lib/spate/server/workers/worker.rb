# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # A serving process: its reactor, and the files that it reloads on command.
      class Worker
        attr_reader :reactor

        # The block is called with the handler and the observer, and returns the Reactor.
        def initialize(handler, observer, metrics:, tls:, log:)
          @handler = handler
          @observer = observer
          @metrics = metrics
          @tls = tls
          @log = log
          @reactor = yield(handler, observer)
        end

        # Marks the worker as ready and runs the block, which serves.
        def work
          @metrics.set(:ready, 1)
          yield
        ensure
          @metrics.clear_own
          Profile.stop_and_log(@log)
          @handler.close if @handler.respond_to?(:close)
          @log.flush
        end

        # Reloads certificates and log files. If a new certificate cannot be used, the old one remains in use.
        def reload
          @reactor.post(nil) { @observer.reopen }
          @tls&.reload
        rescue Server::Error => e
          @log.call("reload: #{e.message}; the previous files stay in use")
        rescue StandardError => e # the thread that reads the parent's commands must continue
          @log.call("reload: #{e.class}: #{e.message}; the previous files stay in use")
        end
      end
    end
  end
end
