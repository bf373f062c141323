# frozen_string_literal: true

require "net/http"
require "json"
require "support/running"

module Spate
  module Server
    # Runs spate-serve with an admin port and a PID file.
    module Watched
      include Running

      def watch(root, *options, **settings)
        @pid_file = File.join(folder, "pid")
        serve(root, "--admin", "0", "--pid-file", @pid_file, *options, **settings)
        @admin = Timeout.timeout(SECONDS) { @log.gets }[/:(\d+)/, 1]
      end

      # The new server of a hot restart is not a child of the test, and writes to the same log.
      def teardown
        pid = File.exist?(@pid_file.to_s) ? File.read(@pid_file).to_i : 0
        Process.kill(:KILL, pid) if pid.positive? && pid != @server
        super
      rescue Errno::ESRCH
        super
      end

      def get(path, port: @port)
        Net::HTTP.start("127.0.0.1", port, open_timeout: 5, read_timeout: 10) { |http| http.get(path) }
      end

      # Returns metrics as { name and labels => number }.
      def metrics
        get("/-/metrics", port: @admin).body.lines.grep_v(/^#/).to_h do |line|
          name, value = line.chomp.rpartition(" ").values_at(0, 2)
          [name, Float(value)]
        end
      end

      def metric(name) = metrics.sum { |key, value| key[/\A\w+/] == name ? value : 0 }

      def eventually(what, seconds: 10)
        limit = Process.clock_gettime(Process::CLOCK_MONOTONIC) + seconds
        until (result = yield)
          flunk("not after #{seconds} s: #{what}") if Process.clock_gettime(Process::CLOCK_MONOTONIC) > limit
          sleep 0.05
        end
        result
      end

      # Returns the PIDs of the worker processes.
      def workers(pid = @server)
        File.read("/proc/#{pid}/task/#{pid}/children").split.map(&:to_i)
      end

      def gone?(pid) = !File.exist?("/proc/#{pid}") || File.read("/proc/#{pid}/stat").include?(") Z ")

      # Returns the next log line that matches. Skips earlier lines.
      def told(pattern)
        Timeout.timeout(SECONDS) do
          while (line = @log.gets)
            return line if line.match?(pattern)
          end
        end
        flunk("the server ended without telling #{pattern.inspect}")
      end
    end
  end
end
