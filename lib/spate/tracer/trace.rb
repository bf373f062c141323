# frozen_string_literal: true

module Spate
  class Tracer
    # The record of one run.
    class Trace
      # [[path, kinds]], both paths and kinds in the order of first occurrence: :read, :looked, :listed, :link, :run,
      # :absent, :written, :connected. A path that is :written first was created by the run itself.
      attr_reader :paths
      # [[text, kinds]] of paths, names and all other entries, in the order of first occurrence; see
      # core/tracer/table.h.
      attr_reader :entries
      # Names of environment variables whose value was read.
      attr_reader :names
      # Reasons not to cache a result that depends on this trace; empty if everything was recorded.
      attr_reader :trouble
      # Real paths of programs whose reads of variables were traced.
      attr_reader :hooked
      # [[path, bytes]]: texts that were read or run and then removed, except very large ones.
      attr_reader :removed
      # The number of calls that the listener answered.
      attr_reader :asked
      # The value of Tracer.trace's block.
      attr_reader :value

      # entries: [[text, kinds]]; the first character gives the text's type (core/tracer/table.h).
      def initialize(entries, asked:, value:, removed: [])
        @asked = asked
        @removed = removed
        @entries = entries
        @value = value
        @paths, others = entries.partition { |text, _| text.start_with?("/") }
        others = others.map(&:first).group_by { |text| text[0] }
        @names, @trouble, @hooked = %w[$ ! >].map { |first| others.fetch(first, []).map { |text| text[1..] } }
      end

      # Programs that ran without having their reads of variables traced: static programs, and those started without the
      # hooks' environment.
      def unhooked
        paths.filter_map { |path, kinds| path if kinds.include?(:run) && !script?(path) && !told?(path) }
      end

      # Paths that the run wrote, created or removed.
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
