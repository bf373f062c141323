# frozen_string_literal: true

module Spate
  module Util
    # The key with which this machine signs entries of a team's cache. A holder of the key can run code on all machines
    # that trust it. So Spate removes it from the environment of its child processes, since builds, scripts and tools
    # run third-party code.
    module SigningKey
      VARIABLE = Environment::SIGNING_KEY
      # The value of the variable that means that the key is on standard input.
      HANDED = "-"

      module_function

      # Removes the key from this process's environment. Called before any child process is started.
      def withhold
        @withheld = ENV.delete(VARIABLE)
        wipe
      rescue SystemCallError
        nil # not Linux, or a sandbox without /proc
      end

      # The text of the key or the path of its file, or nil if there is no key. env: Hash or ENV.
      def of(env)
        text = env[VARIABLE] || @withheld
        text unless text.to_s.empty?
      end

      # Overwrites the key in memory, because /proc/PID/environ shows the initial environment of a process.
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
