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
            single("spate_response_bytes_total", "counter", "Bytes of bodies that were sent.", sum(:bytes))
            single("spate_connections_total", "counter", "Connections taken.", sum(:opened))
            single("spate_unlogged_total", "counter", "Requests that the access log could not take.", sum(:unlogged))
          end

          def durations
            name = "spate_request_duration_seconds"
            metric(name, "histogram", "From a request's head to the last byte of its answer.")
            count = 0
            [*BOUNDS, :more].each do |bound|
              count += sum([:within, bound])
              sample("#{name}_bucket", count, le: bound == :more ? "+Inf" : bound)
            end
            sample("#{name}_sum", sum(:microseconds) / 1_000_000.0)
            sample("#{name}_count", count)
          end

          def refusals
            metric("spate_refused_total", "counter", "Connections, streams and requests that were refused.")
            REASONS.each { |reason| sample("spate_refused_total", sum([:refused, reason]), reason: reason) }
          end

          def processes
            single("spate_worker_restarts_total", "counter", "Workers that died and were replaced.", sum(:restarts))
            single("spate_workers", "gauge", "Workers that should be at work.", @counters.rows - 1)
            single("spate_workers_ready", "gauge", "Workers that are.", sum(:ready))
            single("spate_draining", "gauge", "1 while the server stops.", @state == "draining" ? 1 : 0)
            single("spate_start_time_seconds", "gauge", "When the server started.", get(0, :started))
            metric("spate_info", "gauge", "Versions.")
            sample("spate_info", 1, version: VERSION, ruby: RUBY_VERSION)
          end

          def each_worker
            own("spate_connections", "gauge", "Connections that are open.", :connections)
            own("spate_connections_busy", "gauge", "Connections with a request in work.", :busy)
            own("spate_memory_bytes", "gauge", "Memory of a process.", :memory)
            own("spate_gc_total", "counter", "Collections of garbage since the process started.", :collections)
            own("spate_gc_seconds_total", "counter", "Seconds that they took.", :collecting) { |value| value / 1000.0 }
          end

          # Each worker counts only the bytes that it stores itself, so the largest value is closest to the truth.
          def cache
            cache_requests
            single("spate_cache_received_bytes_total", "counter", "Bytes of entries that came.", sum(:cache_received))
            single("spate_cache_evicted_total", "counter", "Entries that had to go.", sum(:cache_evicted))
            single("spate_cache_evicted_bytes_total", "counter", "Their bytes.", sum(:cache_evicted_bytes))
            bytes = (1...@counters.rows).map { |row| get(row, :cache_bytes) }.max
            single("spate_cache_bytes", "gauge", "Bytes of the folder, as far as is known.", bytes)
            single("spate_cache_limit_bytes", "gauge", "What it may have, 0 for anything.", get(0, :cache_limit))
          end

          def cache_requests
            metric("spate_cache_requests_total", "counter", "Entries that were asked for or sent.")
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
