# frozen_string_literal: true

require "etc"
require "json"
require "rbconfig"

module Spate
  module Server
    # attacked_server.rb as a process, and what the kernel says that it took.
    class AttackedProcess
      attr_reader :port

      def initialize(**limits)
        command = [RbConfig.ruby, File.join(__dir__, "attacked_server.rb"), JSON.generate(limits)]
        @io = IO.popen(command, "r+")
        @port = Integer(@io.gets || raise("the server did not start"))
      end

      # CPU seconds so far.
      def seconds
        ticks = File.read("/proc/#{@io.pid}/stat").rpartition(")").last.split.values_at(11, 12).sum(&:to_i)
        ticks / Float(Etc.sysconf(Etc::SC_CLK_TCK))
      end

      # CPU seconds of the longest tick that a connection had since the last time.
      def longest_tick
        @io.puts
        Float(@io.gets || raise("the server died"))
      end

      # Bytes now, and the most since `forget_peak`.
      def memory = status("VmRSS")
      def peak = status("VmHWM")

      # Resets the kernel's peak; if that is not permitted, the peak is that of the whole run.
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
