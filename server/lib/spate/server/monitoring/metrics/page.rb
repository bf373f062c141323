# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      class Metrics
        # The metrics in Prometheus' text format 0.0.4: sums over all workers, and gauges per worker.
        class Page
          TYPE = "text/plain; version=0.0.4; charset=utf-8"

          # state: "starting", "ok" or "draining".
          def initialize(counters, state:)
            @counters = counters
            @state = state
            @lines = []
          end

          def to_s
            traffic
            durations
            refusals
            processes
            each_worker
            cache if get(0, :cache).positive?
            "#{@lines.join("\n")}\n"
          end

          private

          def traffic
            metric("spate_requests_total", "counter", "Requests answered.")
            PROTOCOLS.product(CLASSES) do |protocol, status|
              sample("spate_requests_total", sum([protocol, status]), protocol: protocol, status: status)
            end
            single("spate_response_bytes_total", "counter", "Sent bytes of response bodies.", sum(:bytes))
            single("spate_connections_total", "counter", "Accepted connections.", sum(:opened))
            single("spate_unlogged_total", "counter", "Requests missing from the access log.", sum(:unlogged))
          end

          def durations
            name = "spate_request_duration_seconds"
            metric(name, "histogram", "Seconds from a request's head to the last byte of its response.")
            count = 0
            [*BOUNDS, :more].each do |bound|
              count += sum([:within, bound])
              sample("#{name}_bucket", count, le: bound == :more ? "+Inf" : bound)
            end
            sample("#{name}_sum", sum(:microseconds) / 1_000_000.0)
            sample("#{name}_count", count)
            single("spate_queue_seconds_total", "counter", "Seconds that requests waited for a Rack thread.",
                   sum(:queue_microseconds) / 1_000_000.0)
          end

          def refusals
            metric("spate_refused_total", "counter", "Refused connections, streams and requests.")
            REASONS.each { |reason| sample("spate_refused_total", sum([:refused, reason]), reason: reason) }
          end

          def processes
            single("spate_worker_restarts_total", "counter", "Replaced workers.", sum(:restarts))
            single("spate_workers", "gauge", "Configured workers.", @counters.rows - 1)
            single("spate_workers_ready", "gauge", "Ready workers.", sum(:ready))
            single("spate_draining", "gauge", "1 while the server is draining.", @state == "draining" ? 1 : 0)
            single("spate_start_time_seconds", "gauge", "Start time in seconds since 1970.", get(0, :started))
            metric("spate_info", "gauge", "Versions.")
            sample("spate_info", 1, version: VERSION, ruby: RUBY_VERSION)
          end

          def each_worker
            own("spate_connections", "gauge", "Open connections.", :connections)
            own("spate_connections_busy", "gauge", "Connections with an open request.", :busy)
            own("spate_memory_bytes", "gauge", "Resident memory of a process.", :memory)
            own("spate_gc_total", "counter", "Garbage collections since the process started.", :collections)
            own("spate_gc_seconds_total", "counter", "Seconds spent in garbage collection.", :collecting) do |value|
              value / 1000.0
            end
          end

          # Each worker counts only the bytes that it stores itself, so the largest value is closest to the truth.
          def cache
            cache_requests
            single("spate_cache_received_bytes_total", "counter", "Received bytes of entries.", sum(:cache_received))
            single("spate_cache_evicted_total", "counter", "Removed entries.", sum(:cache_evicted))
            single("spate_cache_evicted_bytes_total", "counter", "Bytes of removed entries.", sum(:cache_evicted_bytes))
            bytes = (1...@counters.rows).map { |row| get(row, :cache_bytes) }.max
            single("spate_cache_bytes", "gauge", "Known size of the folder.", bytes)
            single("spate_cache_limit_bytes", "gauge", "Limit of the folder, 0 for none.", get(0, :cache_limit))
          end

          def cache_requests
            metric("spate_cache_requests_total", "counter", "Requested or sent entries.")
            { hit: :cache_hits, miss: :cache_misses, stored: :cache_stored, known: :cache_spared,
              refused: :cache_refused }.each do |result, column|
              sample("spate_cache_requests_total", sum(column), result: result)
            end
          end

          def own(name, type, help, column)
            metric(name, type, help)
            (1...@counters.rows).each do |row|
              value = get(row, column)
              sample(name, block_given? ? yield(value) : value, worker: row)
            end
          end

          def single(name, type, help, value)
            metric(name, type, help)
            sample(name, value)
          end

          def metric(name, type, help) = @lines.push("# HELP #{name} #{help}", "# TYPE #{name} #{type}")

          def sample(name, value, **labels)
            text = labels.map { |label, content| "#{label}=\"#{content}\"" }.join(",")
            @lines << (text.empty? ? "#{name} #{value}" : "#{name}{#{text}} #{value}")
          end

          def sum(name) = @counters.sum(COLUMNS.fetch(name))
          def get(row, name) = @counters.get(row, COLUMNS.fetch(name))
        end
      end
    end
  end
end
