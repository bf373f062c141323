# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Stacks over time, whoever took them.
      class Recording
        # name: "Foo#bar". path: a file, "<cfunc>" for C, or nil. line: where the method begins, or nil.
        Frame = Struct.new(:name, :path, :line)

        GC = "(garbage collection)"
        FOREIGN = "(threads without Ruby)"

        # Kinds of samples, as profile.h numbers them.
        RUBY = 0
        OUTSIDE = 1
        COLLECTING = 2
        WITHOUT_RUBY = 3

        # frames: [Frame]. tree: a Tree. samples: flat, five Integers each: microseconds (monotonic), microseconds that
        # it stands for, node, thread, kind. facts: see Session#facts; "threads" is a Hash of numbers to names.
        attr_reader :frames, :tree, :samples, :facts

        def initialize(frames:, tree:, samples:, facts: {})
          @frames = frames
          @tree = tree
          @samples = samples
          @facts = facts
        end

        # microseconds (monotonic), microseconds of time, node, thread, kind
        def each_sample(&block) = @samples.each_slice(5, &block)

        def count = @samples.size / 5
        def wall? = @facts["mode"] == "wall"
        def interval = @facts["interval"] || 1000

        # Microseconds in all samples.
        def total = @total ||= (1...@samples.size).step(5).sum { |at| @samples[at] }

        # Microseconds of each frame, by its number: on top of the stack, and anywhere in it (once a stack).
        def costs
          @costs ||= begin
            own = Array.new(@frames.size, 0)
            all = Array.new(@frames.size, 0)
            by_node.each do |node, weight|
              next if node.zero?

              own[@tree.frame(node)] += weight
              @tree.stack(node).map(&:first).uniq.each { |frame| all[frame] += weight }
            end
            [own, all]
          end
        end

        # Microseconds of each node that samples end in.
        def by_node
          @by_node ||= Hash.new(0).tap { |sums| each_sample { |_, weight, node| sums[node] += weight } }
        end

        # A thread's name, or its number where none was recorded.
        def thread_name(number)
          name = @facts.dig("threads", number.to_s)
          name.nil? || name.empty? ? "thread #{number}" : name
        end
      end
    end
  end
end
