# frozen_string_literal: true

module Spate
  module Server
    module Workers
      # A process that serves: its reactor, and what is to be read again at a signal.
      class Worker
        attr_reader :reactor

        # The block is given the handler and the observer for Reactor.new and answers the Reactor.
        def initialize(handler, observer, metrics:, tls:, log:)
          @handler = handler
          @observer = observer
          @metrics = metrics
          @tls = tls
          @log = log
          @reactor = yield(handler, observer)
        end

        # Runs the block for as long as it serves.
        def work
          @metrics.set(:ready, 1)
          yield
        ensure
          @metrics.clear_own
          Profile.stop_and_log(@log)
          @handler.close if @handler.respond_to?(:close)
          @log.flush
        end

        # Certificates and files of logs. Where a new certificate cannot be used, the old one stays.
        def reload
          @reactor.post(nil) { @observer.reopen }
          @tls&.reload
        rescue Server::Error => e
          @log.call("reload: #{e.message}; what was there before is used")
        rescue StandardError => e # the thread that obeys the parent must go on
          @log.call("reload: #{e.class}: #{e.message}; what was there before is used")
        end
      end
    end
  end
end
