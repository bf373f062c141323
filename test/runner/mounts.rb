# frozen_string_literal: true

module Runner
  # A mount namespace for each test program, if the user may have one. Else a disk that one program mounts would change
  # /proc/self/mountinfo for the others, and the front end would not use its records there.
  module Mounts
    COMMAND = %w[unshare --mount].freeze
    NAMESPACE = 0x20000 # CLONE_NEWNS
    PRIVATE = (1 << 14) | (1 << 18) # MS_REC | MS_PRIVATE

    class << self
      # Words before a command that gets its own namespace.
      def prefix = possible? ? COMMAND : []

      def possible?
        return @possible unless @possible.nil?

        @possible = Process.euid.zero? && system(*COMMAND, "true", err: File::NULL) ? true : false
      end

      # Whether #separate works. In a chroot, the running program would have no path in the new namespace.
      def separable?
        pid = fork do
          before = File.readlink("/proc/self/exe")
          exit!(separate && File.readlink("/proc/self/exe") == before)
        end
        Process.wait2(pid).last.success?
      end

      # Moves this process, which must have one thread, and all that it will start.
      def separate
        require "fiddle"
        integer, pointer = Fiddle::TYPE_INT, Fiddle::TYPE_VOIDP
        unshare = function("unshare", [integer])
        mount = function("mount", [pointer, pointer, pointer, Fiddle::TYPE_LONG, pointer])
        unshare.call(NAMESPACE).zero? && mount.call("none", "/", nil, PRIVATE, nil).zero?
      rescue LoadError, Fiddle::DLError
        false
      end

      private

      def function(name, types) = Fiddle::Function.new(Fiddle::Handle::DEFAULT[name], types, Fiddle::TYPE_INT)
    end
  end
end
