# frozen_string_literal: true

module Spate
  module Server
    module Monitoring
      # A handler for monitoring:
      #
      #     /-/health     200 while requests are accepted; 503 before, and while the server is stopping (readiness)
      #     /-/live       200 while the process can answer (liveness)
      #     /-/metrics    metrics for Prometheus
      class Admin
        # A handler that answers /-/health and passes other requests to another handler.
        class HealthRoute
          def initialize(handler, admin)
            @handler = handler
            @admin = admin
          end

          # Returns a Response, or nil when the response follows later.
          def call(request)
            @admin.health_of(request) || @handler.call(request)
          end

          def every_second = @handler.respond_to?(:every_second) && @handler.every_second
          def close = @handler.respond_to?(:close) && @handler.close
        end

        VERBS = %w[GET HEAD].freeze
        HEALTH = "/-/health"
        LIVE = "/-/live"
        METRICS = "/-/metrics"
        NEVER_KEPT = { "cache-control" => "no-store" }.freeze

        # counters: the counters of Metrics.
        def initialize(counters)
          @counters = counters
        end

        # Returns a Response: for one of the three paths, or an error.
        def call(request)
          return refuse unless VERBS.include?(request.verb)

          case request.path
          when HEALTH then health
          when LIVE then json(200, "state", state)
          when METRICS then metrics
          else Response.text(404, "Available: #{HEALTH}, #{LIVE} and #{METRICS}.\n")
          end
        end

        # Returns the health response for the public port, or nil if the request is for another path.
        def health_of(request) = request.path == HEALTH ? health : nil

        private

        def refuse = Response.text(405, "Only GET and HEAD are allowed.\n", "allow" => VERBS.join(", "))

        def state = Metrics.state(@counters)

        def health
          ready = @counters.sum(Metrics::COLUMNS.fetch(:ready))
          status = state == "ok" && ready.positive? ? 200 : 503
          json(status, "state", state, "workers", @counters.rows - 1, "ready", ready)
        end

        def metrics
          text = Metrics::Page.new(@counters, state: state).to_s
          Response.text(200, text, "content-type" => Metrics::Page::TYPE, **NEVER_KEPT)
        end

        def json(status, *pairs)
          fields = pairs.each_slice(2).map do |name, value|
            "\"#{name}\":#{value.is_a?(String) ? "\"#{value}\"" : value}"
          end
          Response.text(status, "{#{fields.join(",")}}\n", "content-type" => "application/json", **NEVER_KEPT)
        end
      end
    end
  end
end
