# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # The distinct stacks of a profile and the time spent in each. The size of a Recording depends on the number of
      # stacks, not on the recorded time.
      class Recording
        # name: "Foo#bar". path: the file, "<cfunc>" for C, or nil. line: the line where the method begins, or nil.
        Frame = Struct.new(:name, :path, :line)
        # Shares of the whole time. own: in the method itself. total: including all methods that it calls.
        Row = Struct.new(:name, :own, :total)

        # Reads the profile in a .json file. Raises Unreadable, SystemCallError.
        def self.read(path)
          of(JSON.parse(File.read(path, encoding: Encoding::UTF_8)), path)
        rescue JSON::ParserError
          raise Unreadable.new(path, "invalid JSON")
        end

        # output: the result of a profiler's `stop`. Raises Unreadable.
        def self.of(output, path)
          kind = [Vernier, Stackprof].find { |one| output.is_a?(Hash) && one::Output.fits?(output) }
          raise Unreadable.new(path, "not a profile of vernier or stackprof") unless kind

          new(kind::Output.new(output))
        rescue TypeError, NoMethodError, IndexError
          raise Unreadable.new(path, "damaged profile: its tables are inconsistent")
        end

        # facts: Session#facts. total: microseconds. samples: number of samples.
        attr_reader :facts, :total, :samples

        def initialize(output)
          @facts = output.facts
          @frames = {} # {Frame => [its number, {line => microseconds}]}
          @nodes = [[0, -1, 0]] # [parent, frame, own microseconds]; the root comes first
          @children = {}
          @total = @samples = 0
          stacks = output.to_enum(:each_stack).to_a
          @threads = stacks.map(&:first).uniq
          stacks.each { |stack| add(*stack) }
        end

        # The data of the page. frames: [name, path, line, kind, [line, own time, ...]]; a thread has only a name.
        # nodes: [parent, frame, own time, ...], with times in microseconds. All lines of a method share one node.
        def to_h
          { facts: @facts, total: @total, samples: @samples, kinds: kinds, nodes: @nodes.flatten,
            frames: @frames.map { |frame, (_, lines)| [*frame.to_a, kind(frame), lines.to_a.flatten] } }
        end

        # Yields [Frame, ...], outermost first, and the microseconds spent in the innermost frame.
        def each_stack
          frames = @frames.keys
          stacks = [[]]
          @nodes.drop(1).each do |parent, frame, own|
            stacks << [*stacks[parent], frames[frame]]
            yield stacks.last, own if own.positive?
          end
        end

        # Returns [Row, ...]: the frames with the most own time.
        def top(count = 10)
          total = Hash.new(0)
          each_stack { |stack, weight| stack.uniq.each { |frame| total[frame] += weight } }
          own.max_by(count) { |_, weight| weight }.map do |frame, weight|
            Row.new(frame.name, weight / @total.to_f, total[frame] / @total.to_f)
          end
        end

        private

        # Adds a stack. If there are several threads, each of them is a frame below the root.
        def add(thread, stack, weight, count)
          @total += weight
          @samples += count
          at = @threads.size > 1 ? child(0, Frame.new(thread)) : 0
          stack.each { |frame, _| at = child(at, frame) }
          @nodes[at][2] += weight
          frame, line = stack.last
          return if frame.nil? || line.zero?

          lines = @frames[frame].last
          lines[line] = (lines[line] || 0) + weight
        end

        def child(parent, frame)
          number, = @frames[frame] ||= [@frames.size, {}]
          @children[[parent, number]] ||= begin
            @nodes << [parent, number, 0]
            @nodes.size - 1
          end
        end

        # {Frame => own microseconds}
        def own
          Hash.new(0).tap { |sums| each_stack { |stack, weight| sums[stack.last] += weight } }
        end

        # {kind => microseconds}, the eight largest.
        def kinds
          sums = own.each_with_object(Hash.new(0)) { |(frame, weight), all| all[kind(frame)] += weight }
          sums.select { |kind, weight| kind != "other" && weight.positive? }.max_by(8) { |_, weight| weight }.to_h
        end

        def kind(frame)
          case frame.path
          when nil then kind_of_pathless(frame.name)
          when "<cfunc>" then "C"
          when %r{.*/gems/([^/]+-[^/]+)/} then Regexp.last_match(1) # not a folder of Ruby itself, as in gems/4.0.0
          when %r{/spate/} then "spate"
          when /\A<internal:/, %r{/ruby/} then "Ruby"
          else "application"
          end
        end

        def kind_of_pathless(name)
          case name
          when /\A\((garbage collection|marking|sweeping)\)\z/ then "garbage collection"
          when *Vernier::WAITING.values then "waiting"
          else "other"
          end
        end
      end
    end
  end
end
