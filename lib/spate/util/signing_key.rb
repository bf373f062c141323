# frozen_string_literal: true

module Spate
  module Util
    # The key with which this machine signs for a team's cache. Its owner can run code on all machines that trust it,
    # so no process that Spate starts gets it in its environment: builds, scripts, tools and programs are others' code.
    module SigningKey
      VARIABLE = Environment::SIGNING_KEY
      # The value that means that the key is on standard input.
      HANDED = "-"

      module_function

      # Removes it from this process's environment, before anything is started.
      def withhold
        @withheld = ENV.delete(VARIABLE)
        wipe
      rescue SystemCallError
        nil # no Linux, or a sandbox without /proc
      end

      # Its text, or the path of a file with it; nil if there is none. env: Hash or ENV.
      def of(env)
        text = env[VARIABLE] || @withheld
        text unless text.to_s.empty?
      end

      # /proc/PID/environ always shows a process's initial environment, so the bytes are overwritten in memory.
      def wipe
        start, stop = File.read("/proc/self/stat").rpartition(")").last.split.values_at(47, 48).map(&:to_i)
        File.open("/proc/self/mem", "r+b") do |memory|
          given = memory.pread(stop - start, start)
          at = given.index(/(?<![^\0])#{VARIABLE}=\K[^\0]+/n) or next
          memory.sysseek(start + at)
          memory.syswrite("\0" * Regexp.last_match(0).bytesize)
        end
      end
      private_class_method :wipe
    end
  end
end
