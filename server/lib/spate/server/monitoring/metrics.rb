# frozen_string_literal: true

require "spate/server/native/counters"
require "etc"

module Spate
  module Server
    module Monitoring
      # The counters of a process, in memory that all processes share: row 0 belongs to the parent, and each worker has
      # its own row. The replacement of a worker continues with its row; only the gauges are reset.
      class Metrics
        autoload :Page, "spate/server/monitoring/metrics/page"

        # Memory and garbage collection of this process.
        module Process
          PAGE = Etc.sysconf(Etc::SC_PAGESIZE)

          def self.now = ::Process.clock_gettime(::Process::CLOCK_REALTIME)

          # memory: resident bytes. collections: number of garbage collections. collecting: milliseconds spent in them.
          def self.facts
            { memory: memory, collections: GC.count, collecting: GC.stat(:time) || 0 }
          end

          def self.memory
            File.read("/proc/self/statm").split[1].to_i * PAGE
          rescue SystemCallError
            0 # not Linux
          end
        end

        PROTOCOLS = ["HTTP/2", "HTTP/1.1"].freeze
        # Classes of statuses. "none" counts requests without a response.
        CLASSES = %w[1xx 2xx 3xx 4xx 5xx none].freeze
        # Upper bounds of durations in seconds. The last column counts longer requests.
        BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10].freeze
        # Reasons for refusals, used as label values: the error codes of HTTP/2 (RFC 9113, section 7) in numeric order,
        # then other reasons.
        CODES = %w[no_error protocol_error internal_error flow_control_error settings_timeout stream_closed
                   frame_size_error refused_stream cancel compression_error connect_error enhance_your_calm
                   inadequate_security http_1_1_required].freeze
        REASONS = [*CODES, "connections", "handshake", "timeout", "bad_request", "other"].freeze

        columns = [*PROTOCOLS.product(CLASSES), *BOUNDS.map { |bound| [:within, bound] }, %i[within more],
                   *REASONS.map { |reason| [:refused, reason] },
                   :microseconds, :bytes, :opened, :connections, :busy, :memory, :collections, :collecting, :started,
                   :restarts, :ready, :alive_at, :told_at, :queue_microseconds, :state, :unlogged,
                   :cache, :cache_limit, :cache_bytes, :cache_hits, :cache_misses, :cache_stored, :cache_spared,
                   :cache_refused, :cache_received, :cache_evicted, :cache_evicted_bytes]
        COLUMNS = columns.each_with_index.to_h.freeze

        REQUESTS = COLUMNS.fetch(["HTTP/2", "1xx"])
        OLD_REQUESTS = COLUMNS.fetch(["HTTP/1.1", "1xx"])
        WITHIN = COLUMNS.fetch([:within, BOUNDS.first])
        REFUSED = COLUMNS.fetch([:refused, REASONS.first])
        MICROSECONDS = COLUMNS.fetch(:microseconds)
        QUEUE = COLUMNS.fetch(:queue_microseconds)
        BYTES = COLUMNS.fetch(:bytes)
        OPENED = COLUMNS.fetch(:opened)
        CONNECTIONS = COLUMNS.fetch(:connections)
        GAUGES = %i[connections busy memory ready cache_bytes].map { |name| COLUMNS.fetch(name) }.freeze

        # States of the whole server.
        STATES = %w[starting ok draining].freeze

        def self.state(counters) = STATES.fetch(counters.get(0, COLUMNS.fetch(:state)))

        # Creates counters that all processes share: one row for the parent and one for each of `workers` workers.
        def self.counters(workers) = Native::Counters.new(workers + 1, COLUMNS.length)

        # row: the row of this process.
        def initialize(counters, row)
          @counters = counters
          @row = row
        end

        # Counts a finished request. status: the response's status or nil. bytes: bytes of the body. seconds: from the
        # request's head to the last byte.
        def answered(request, status, bytes, seconds)
          first = request.version == "HTTP/2" ? REQUESTS : OLD_REQUESTS
          @counters.add(@row, first + (status ? (status / 100).clamp(1, 5) - 1 : 5), 1)
          @counters.add(@row, BYTES, bytes)
          @counters.add(@row, WITHIN + (BOUNDS.index { |bound| seconds <= bound } || BOUNDS.length), 1)
          @counters.add(@row, MICROSECONDS, (seconds * 1_000_000).to_i)
        end

        # Counts a refusal. reason: a Symbol of REASONS, or a text. code: an HTTP/2 error code, an HTTP/1.1 status, or
        # nil.
        def refused(reason, code)
          @counters.add(@row, REFUSED + REASONS.index(Metrics.reason(reason, code)), 1)
        end

        # seconds: the time that a request waited for a thread of the application.
        def queued(seconds) = @counters.add(@row, QUEUE, (seconds * 1_000_000).to_i)

        def opened = @counters.add(@row, OPENED, 1)

        # Called once a second on the reactor's thread.
        def every_second(reactor)
          busy = 0
          reactor.each_connection { |connection| busy += 1 if connection.busy? }
          set(:connections, reactor.size)
          set(:busy, busy)
          Process.facts.each { |name, value| set(name, value) }
        end

        # Records that the reactor runs. Called once a second on its thread.
        def alive = set(:alive_at, (Server.now * 1000).to_i)

        # The time of the last call of `alive` in a row, perhaps by an earlier worker: seconds, monotonic.
        def alive_at(row) = @counters.get(row, COLUMNS.fetch(:alive_at)) / 1000.0

        # Resets the gauges of the previous worker in this row.
        def begin
          clear_own
          set(:started, Process.now.to_i)
        end

        # Resets the gauges of a worker that has ended. Called by the parent or by the worker itself.
        def clear(row) = GAUGES.each { |column| @counters.set(row, column, 0) }
        def clear_own = clear(@row)

        def state=(name)
          set(:state, STATES.index(name))
        end

        def set(name, value) = @counters.set(@row, COLUMNS.fetch(name), value)
        def add(name, count = 1) = @counters.add(@row, COLUMNS.fetch(name), count)

        def self.reason(reason, code)
          name = reason.to_s
          return name if reason.is_a?(Symbol) && REASONS.include?(name)
          return name.start_with?("handshake") ? "handshake" : "other" if code.nil?
          return CODES[code] || "other" if code < 100

          code == 408 ? "timeout" : "bad_request"
        end
      end
    end
  end
end
