# frozen_string_literal: true

# A boot has already loaded it, possibly from another path.
require "spate/native/boot" unless defined?(Spate::Native::Inputs)

module Spate
  # The inputs of a cached result as one record: docs/inputs.md. Implemented by the core, without the GVL.
  #
  # roots:: { name => folder }, absolute and clean; paths below a root are stored relative to it
  # env::   { name => value }; nil: this process's environment
  module Inputs
    # Looks at paths. Shared by the checks of several records in one decision, so that each path is looked at once.
    Memo = Native::Inputs::Memo

    SENTENCES = {
      content: "changed", gone: "is gone", appeared: "is new", kind: "has another type", size: "changed",
      mode: "has other permissions", time: "has another time", listing: "contains other names",
      target: "leads elsewhere", value: "has another value", library: "has other versions or symbols",
      unreadable: "cannot be read", root: "is not known here"
    }.freeze

    # Maximum milliseconds to wait for the clock of file times, which may be up to one tick (at most 10 ms) behind.
    PATIENCE = 25

    class << self
      # The current time (Time) of that clock. Waits until the clock is past the time of the call, so that every earlier
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
      #   file run library  content (library: what it promises)    :nofollow
      #   looked            type, mode, size                       :nofollow, :mtime, :type (nothing else counts)
      #   link listed absent
      #   environment       path is the variable's name
      #   processor         path is nil
      #
      # Returns nil if the record was written, otherwise [message, path] of an input that has changed since it was read;
      # then nothing is written. portable: omits stamps, for use on another machine. Raises SystemCallError,
      # ArgumentError.
      def record(path, entries, roots, env: nil, portable: false)
        Native::Inputs.write(path, entries, roots, env, portable)
      end

      # Returns nil if nothing changed; :renew if nothing changed but new stamps would save the next check some hashing,
      # :renewed if they were written to renew_to; otherwise [reason, path, kind] of the first change. record: a path,
      # or the bytes.
      def check(record, roots, env: nil, memo: nil, renew_to: nil)
        Native::Inputs.check(record, roots, env, memo, renew_to)
      end

      # The bytes of the same record for another machine, without stamps, which are valid only on this machine. record:
      # as for `check`.
      def portable(record) = Native::Inputs.portable(record)

      # Whether bytes begin like a record; `check` treats others as a path.
      def record?(bytes) = bytes.b.start_with?(Native::Inputs::MAGIC)

      # Yields kind, name of the root or nil, path below the root, and facts: {sha256:, target:, target_root:, mode:,
      # size:, nofollow:, mtime:, stamped:}, each only if present.
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
