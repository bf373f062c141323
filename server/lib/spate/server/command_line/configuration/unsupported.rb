# frozen_string_literal: true

module Spate
  module Server
    class CommandLine
      class Configuration
        # The directives of puma 8 that do not set a value here, with the reasons.
        module Unsupported
          # The server always works like this, or has nothing to tune.
          NEEDLESS = %i[bind_to_activated_sockets debug drain_on_shutdown early_hints
                        extra_runtime_dependencies io_selector_backend mutate_stdout_and_stderr_to_sync_on_write
                        prune_bundler queue_requests quiet raise_exception_on_sigterm silence_fork_callback_warning
                        silence_single_worker_warning wait_for_less_busy_worker worker_culling_strategy].freeze

          # The server starts, and logs the reason.
          IGNORED = {
            activate_control_app: "use --admin", custom_logger: "log lines have a fixed format",
            fiber_per_request: "requests run on threads", fork_worker: "workers are forked from the first process",
            idle_timeout: "an idle server keeps running", log_formatter: "log lines have a fixed format",
            max_fast_inline: "connections take turns", max_io_threads: "the number of threads is fixed",
            max_keep_alive: "the number of requests of a connection is not limited",
            restart_command: "a restart repeats the command", shutdown_debug: "threads are not printed",
            supported_http_methods: "all methods reach the application",
            worker_check_interval: "workers report every second", worker_shutdown_timeout: "see force_shutdown_after"
          }.freeze

          # The server does not start, because the application may depend on it.
          REFUSED = {
            after_refork: "workers are not forked from a worker", app: "name a config.ru with rackup",
            before_refork: "see after_refork", get: "options cannot be read", inject: "options cannot be injected",
            out_of_band: "this hook does not run",
            rack_url_scheme: "use --trusted-proxies"
          }.freeze
        end
      end
    end
  end
end
