# frozen_string_literal: true

module Spate
  module Util
    # The key with which this machine signs for a team's cache. Its owner can run code on all machines that trust the
    # key, so no process that Spate starts gets it in its environment: builds, scripts, tools and programs run other
    # people's code.
    module SigningKey
      VARIABLE = Environment::SIGNING_KEY
      # The value of the variable if the key is on standard input.
      HANDED = "-"

      module_function

      # Removes the key from this process's environment. Called before any process is started.
      def withhold
        @withheld = ENV.delete(VARIABLE)
        wipe
      rescue SystemCallError
        nil # not Linux, or a sandbox without /proc
      end

      # The text of the key, or the path of a file with it; nil if there is none. env: Hash or ENV.
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
