# frozen_string_literal: true

module Spate
  module Server
    # Logs, metrics, and a handler for health checks and metrics.
    module Monitoring
      autoload :AccessLog, "spate/server/monitoring/access_log"
      autoload :Admin, "spate/server/monitoring/admin"
      autoload :BackgroundWriter, "spate/server/monitoring/background_writer"
      autoload :Log, "spate/server/monitoring/log"
      autoload :Metrics, "spate/server/monitoring/metrics"
      autoload :Observer, "spate/server/monitoring/observer"
      autoload :RefusalLog, "spate/server/monitoring/log"
    end
  end
end
