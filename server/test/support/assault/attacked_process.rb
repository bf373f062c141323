# frozen_string_literal: true

require "etc"
require "json"
require "rbconfig"

module Spate
  module Server
    # Runs attacked_server.rb as a process, and reads its resource usage from the kernel.
    class AttackedProcess
      attr_reader :port

      def initialize(**limits)
        command = [RbConfig.ruby, File.join(__dir__, "attacked_server.rb"), JSON.generate(limits)]
        @io = IO.popen(command, "r+")
        @port = Integer(@io.gets || raise("the server did not start"))
      end

      # Returns the CPU seconds used so far.
      def seconds
        ticks = File.read("/proc/#{@io.pid}/stat").rpartition(")").last.split.values_at(11, 12).sum(&:to_i)
        ticks / Float(Etc.sysconf(Etc::SC_CLK_TCK))
      end

      # Returns the CPU seconds of the longest tick of a connection since the last call.
      def longest_tick
        @io.puts
        Float(@io.gets || raise("the server died"))
      end

      # Memory in bytes: now, and the maximum since `forget_peak`.
      def memory = status("VmRSS")
      def peak = status("VmHWM")

      # Resets the kernel's peak. If that is not permitted, the peak is that of the whole run.
      def forget_peak
        File.write("/proc/#{@io.pid}/clear_refs", "5")
      rescue SystemCallError
        nil
      end

      def close
        @io.close_write
        @io.close
      end

      private

      def status(name) = File.read("/proc/#{@io.pid}/status")[/^#{name}:\s+(\d+)/, 1].to_i * 1024
    end
  end
end
