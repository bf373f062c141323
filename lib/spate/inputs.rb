# frozen_string_literal: true

# In a boot it is already loaded, possibly from another path.
require "spate/native/boot" unless defined?(Spate::Native::Inputs)

module Spate
  # Records the inputs of a cached result in one file: see docs/inputs.md. Implemented in the core, without the GVL.
  #
  # roots:: { name => folder }, absolute and clean; paths below a root are stored relative to it
  # env::   { name => value }; nil: this process's environment
  module Inputs
    # Caches results of stat. Several checks share one, so that each path is read only once.
    Memo = Native::Inputs::Memo

    SENTENCES = {
      content: "changed", gone: "is gone", appeared: "is new", kind: "has another type", size: "changed",
      mode: "has other permissions", time: "has another time", listing: "contains other names",
      target: "leads elsewhere", value: "has another value", library: "has other versions or symbols",
      unreadable: "cannot be read", root: "is not known here"
    }.freeze

    # The longest wait for the clock of file times, in milliseconds. It may be behind by one tick (at most 10 ms).
    PATIENCE = 25

    class << self
      # The current Time of the clock of file times. Waits until it is past the time of the call, so that every earlier
      # change has an earlier ctime, and every later change an equal or later one.
      def start
        called = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
        PATIENCE.times { clock > called ? break : sleep(0.001) }
        Time.at(0, clock, :nsec)
      end

      # Whether a change with this file time may have happened after a start. Some file systems store times in whole
      # seconds or in steps of two seconds.
      def since?(time, start) = time >= (time.nsec.zero? ? Time.at(start.to_i - 1) : start)

      # entries: [[kind, path, sha256 of the content that was read = nil, *flags], ...].
      #
      #   kind              recorded                               flags
      #   file run          content                                :nofollow
      #   library           versions and symbols                   :nofollow
      #   looked            type, mode, size                       :nofollow, :mtime, :type (records only the type)
      #   link listed absent
      #   environment       value; path is the variable's name
      #   processor         path is nil
      #
      # Returns nil if the record was written. If an input has changed since it was read, writes nothing and returns
      # [message, path]. portable: omits stamps, for use on another machine. Raises SystemCallError, ArgumentError.
      def record(path, entries, roots, env: nil, portable: false)
        Native::Inputs.write(path, entries, roots, env, portable)
      end

      # Returns nil if nothing changed, or [reason, path, kind] of the first change. If nothing changed but new stamps
      # would save hashing in the next check, returns :renewed after writing them to renew_to, or :renew without
      # renew_to. record: a path, or the bytes.
      def check(record, roots, env: nil, memo: nil, renew_to: nil)
        Native::Inputs.check(record, roots, env, memo, renew_to)
      end

      # The bytes of the record without stamps, which are valid only on this machine. record: as in `check`.
      def portable(record) = Native::Inputs.portable(record)

      # Whether these bytes are a record. `check` treats any other string as a path.
      def record?(bytes) = bytes.b.start_with?(Native::Inputs::MAGIC)

      # Yields the kind, the root's name or nil, the path below the root, and a Hash with the recorded facts among
      # sha256:, target:, target_root:, mode:, size:, nofollow:, mtime: and stamped:.
      def each(record, &block)
        Native::Inputs.items(record).each(&block)
      end

      # A result of `check` as text: "/usr/include/libpq-fe.h changed".
      def explain(reason, path, _kind = nil)
        case reason
        when :record then path
        when :processor then "the processor differs"
        else "#{path} #{SENTENCES.fetch(reason)}"
        end
      end

      private

      def clock = Process.clock_gettime(Native::FILE_CLOCK, :nanosecond)
    end
  end
end
