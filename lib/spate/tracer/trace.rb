# frozen_string_literal: true

module Spate
  class Tracer
    # The result of tracing a command.
    class Trace
      # [[path, kinds]], both in the order of first occurrence. Kinds: :read, :looked, :listed, :link, :run, :absent,
      # :written, :connected. A path whose first kind is :written was created by the command.
      attr_reader :paths
      # [[text, kinds]] of paths, names and all other entries, in the order of first occurrence; see
      # core/tracer/table.h.
      attr_reader :entries
      # Names of environment variables whose values were read.
      attr_reader :names
      # Reasons not to cache a result that depends on this trace; empty if everything was recorded.
      attr_reader :trouble
      # Real paths of programs that ran with the hooks, which trace the reading of environment variables.
      attr_reader :hooked
      # [[path, bytes]]: files that were read or run and then removed, except very large ones.
      attr_reader :removed
      # The number of system calls that the listener handled.
      attr_reader :asked
      # The value of the block of Tracer.trace.
      attr_reader :value

      # entries: [[text, kinds]]. The first character of the text determines its type (core/tracer/table.h).
      def initialize(entries, asked:, value:, removed: [])
        @asked = asked
        @removed = removed
        @entries = entries
        @value = value
        @paths, others = entries.partition { |text, _| text.start_with?("/") }
        others = others.map(&:first).group_by { |text| text[0] }
        @names, @trouble, @hooked = %w[$ ! >].map { |first| others.fetch(first, []).map { |text| text[1..] } }
      end

      # Programs that ran without the hooks, so that their reading of environment variables was not traced: static
      # programs, and programs started without LD_PRELOAD.
      def unhooked
        paths.filter_map { |path, kinds| path if kinds.include?(:run) && !script?(path) && !told?(path) }
      end

      # Paths that the command wrote, created or removed.
      def written = paths.filter_map { |path, kinds| path if kinds.include?(:written) }

      # {path => kinds}
      def to_h = @to_h ||= paths.to_h

      private

      def told?(path)
        hooked.include?(File.realpath(path))
      rescue SystemCallError
        false
      end

      def script?(path)
        File.binread(path, 2) == "#!"
      rescue SystemCallError
        false
      end
    end
  end
end
