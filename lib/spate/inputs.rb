# frozen_string_literal: true

# A boot has it already, from wherever it lies.
require "spate/native/boot" unless defined?(Spate::Native::Inputs)

module Spate
  # The inputs of a cached result, as one record: docs/inputs.md. Done by the core, without the interpreter lock.
  #
  # roots:: { name => folder }, absolute and clean: paths below one are kept relative to it
  # env::   { name => value }; nil: this process's own
  module Inputs
    # Looks at paths, so that the checks of several records in one decision look at each path once.
    Memo = Native::Inputs::Memo

    SENTENCES = {
      content: "changed", gone: "is gone", appeared: "is new", kind: "is of another kind", size: "changed",
      mode: "has other permissions", time: "has another time", listing: "has other names in it",
      target: "leads elsewhere", value: "has another value", library: "has other versions or symbols",
      unreadable: "cannot be read", root: "is not known here"
    }.freeze

    # Maximum milliseconds to wait for the clock of file times, which lags by up to a tick (at most 10 ms).
    PATIENCE = 25

    class << self
      # The present time by that clock (Time). Waits until it is past the time of the call: then every earlier change
      # has an earlier ctime, and every later change an equal or later one.
      def start
        called = Process.clock_gettime(Process::CLOCK_REALTIME, :nanosecond)
        PATIENCE.times { clock > called ? break : sleep(0.001) }
        Time.at(0, clock, :nsec)
      end

      # Whether a change with this file time may have been after a start. Some file systems have times in whole seconds,
      # or in two.
      def since?(time, start) = time >= (time.nsec.zero? ? Time.at(start.to_i - 1) : start)

      # entries: [[kind, path, sha256 of what was read = nil, *flags], ...].
      #
      #   file run library  content (library: what it promises)    :nofollow
      #   looked            type, mode, size                       :nofollow, :mtime, :type (nothing else counts)
      #   link listed absent
      #   environment       path is the variable's name
      #   processor         path is nil
      #
      # nil if it was written, else [message, path] of what is not as it was read: then nothing is written. portable:
      # for another machine, without stamps. Raises SystemCallError, ArgumentError.
      def record(path, entries, roots, env: nil, portable: false)
        Native::Inputs.write(path, entries, roots, env, portable)
      end

      # nil if nothing changed; :renew if only new stamps would spare the next check some hashing, :renewed if they were
      # written to renew_to; otherwise [reason, path, kind] of the first change. record: a path, or the bytes.
      def check(record, roots, env: nil, memo: nil, renew_to: nil)
        Native::Inputs.check(record, roots, env, memo, renew_to)
      end

      # Bytes of the same record for another machine: stamps are good here alone. record: as of `check`.
      def portable(record) = Native::Inputs.portable(record)

      # Whether bytes begin as a record does; `check` takes others for a path.
      def record?(bytes) = bytes.b.start_with?(Native::Inputs::MAGIC)

      # Yields kind, name of the root or nil, path below it, and facts: {sha256:, target:, target_root:, mode:, size:,
      # nofollow:, mtime:, stamped:}, each where there is one.
      def each(record, &block)
        Native::Inputs.items(record).each(&block)
      end

      # An answer of `check` in words: "/usr/include/libpq-fe.h changed".
      def explain(reason, path, _kind = nil)
        case reason
        when :record then path
        when :processor then "the processor is another"
        else "#{path} #{SENTENCES.fetch(reason)}"
        end
      end

      private

      def clock = Process.clock_gettime(Native::FILE_CLOCK, :nanosecond)
    end
  end
end
