# frozen_string_literal: true

require "fileutils"
require "open3"
require_relative "../../../test/support/server_program"

module Benchmark
  module Team
    # Simulates a network connection with delay and limited bandwidth. Two network namespaces with a TUN device each are
    # connected by link.c, which delays every packet. So handshakes, slow start and a full queue take realistic time.
    # Needs root and /dev/net/tun.
    class Line
      NEAR = "198.18.0.1" # in the address range for benchmarks (RFC 2544)
      FAR = "198.18.0.2"
      NOBODY = "198.18.0.3" # packets to this address are dropped
      SOURCE = File.expand_path("link.c", __dir__)

      # The reason why this machine cannot simulate a connection, or nil.
      def self.refusal
        return "network namespaces need root" unless Process.uid.zero?
        return "there is no /dev/net/tun" unless File.chardev?("/dev/net/tun")

        missing = %w[ip cc nginx].reject { |name| ServerProgram.find(name) }
        "#{missing.join(" and ")} cannot be found" unless missing.empty?
      end

      # folder: for the compiled program. delay: one-way, in seconds. rate: bits per second. queue: bytes.
      def initialize(folder, delay: 0.025, rate: 200_000_000, queue: 5_000_000)
        @folder = folder
        @numbers = [(delay * 1_000_000).round, rate, queue].map(&:to_s)
        @names = %w[near far].to_h { |side| [side.to_sym, "spate-#{side}-#{Process.pid}"] }
      end

      def start
        @made = @names.values
        @made.each { |name| run("ip", "netns", "add", name) }
        relay
        address(:near, NEAR)
        address(:far, FAR)
        self
      rescue StandardError
        stop
        raise
      end

      # The command line that runs a command at one end (:near or :far).
      def at(side, *command) = ["ip", "netns", "exec", @names.fetch(side), *command]

      def stop
        [@input, @output].compact.each(&:close)
        Process.wait(@pid) if @pid
        @input = @output = @pid = nil
        @made&.each do |name|
          end_all(name)
          system("ip", "netns", "delete", name, err: File::NULL)
        end
        @made = nil
      end

      private

      # Ends the processes that still run in a namespace.
      def end_all(name)
        Open3.capture2("ip", "netns", "pids", name, err: File::NULL).first.split.each do |pid|
          Process.kill(:TERM, Integer(pid))
        rescue Errno::ESRCH
          next
        end
      end

      def relay
        program = File.join(FileUtils.mkdir_p(@folder).first, "link")
        run("cc", "-O2", "-Wall", "-Wextra", "-Werror", "-o", program, SOURCE)
        ours, @input = IO.pipe
        @output, theirs = IO.pipe
        files = @names.values.map { |name| "/var/run/netns/#{name}" }
        @pid = Process.spawn(program, *files, *@numbers, in: ours, out: theirs)
        [ours, theirs].each(&:close)
        @output.gets == "ready\n" or raise "the line did not come up"
      end

      def address(side, address)
        ip = ["ip", "-n", @names.fetch(side)]
        run(*ip, "link", "set", "lo", "up")
        run(*ip, "address", "add", "#{address}/24", "dev", "line")
        run(*ip, "link", "set", "line", "mtu", "1500", "txqueuelen", "1000", "up")
      end

      def run(*command)
        output, status = Open3.capture2e(*command)
        raise "#{command.join(" ")}: #{output}" unless status.success?
      end
    end
  end
end
