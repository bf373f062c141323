# frozen_string_literal: true

module Spate
  module Server
    module Profile
      class Page
        # Sums for the page: its size grows with the stacks, not with the time that was recorded.
        class Data
          def initialize(recording)
            @recording = recording
            @tree = recording.tree
          end

          # frames: [name, path, line, kind, [line, own time, ...]], a thread has its name only. nodes: [parent, frame,
          # own time, ...] with the root first, times in microseconds. Lines of a method are one node.
          def to_h
            @frames = @recording.frames.map { |frame| [frame.name, frame.path, frame.line, kind(frame), {}] }
            @nodes = [[0, -1, 0]]
            @children = {}
            sums.each { |(thread, node), weight| add(thread, node, weight) }
            @frames.each { |frame| frame[4] = frame[4].to_a.flatten }
            { facts: @recording.facts, total: @recording.total, samples: @recording.count, kinds: kinds,
              frames: @frames, nodes: @nodes.flatten }
          end

          private

          def sums
            @recording.each_sample.each_with_object(Hash.new(0)) do |(_, weight, node, thread, _), sums|
              sums[[thread, node]] += weight
            end
          end

          def add(thread, node, weight)
            stack = @tree.stack(node)
            at = outermost(thread)
            stack.each { |frame, _| at = child(at, frame) }
            @nodes[at][2] += weight
            frame, line = stack.last
            return if frame.nil? || line.zero?

            lines = @frames[frame][4]
            lines[line] = (lines[line] || 0) + weight
          end

          # Where there is one thread only, the root is it.
          def outermost(thread)
            @several = @recording.each_sample.map { |sample| sample[3] }.uniq.size > 1 if @several.nil?
            return 0 unless @several

            @threads ||= {}
            @threads[thread] ||= begin
              @frames << [@recording.thread_name(thread), nil, nil, "thread", {}]
              child(0, @frames.size - 1)
            end
          end

          def child(parent, frame)
            @children[[parent, frame]] ||= begin
              @nodes << [parent, frame, 0]
              @nodes.size - 1
            end
          end

          def kind(frame)
            case frame.path
            when nil then frame.name == "(garbage collection)" ? "garbage collection" : "other"
            when "<cfunc>" then "C"
            when %r{.*/gems/([^/]+-[^/]+)/} then Regexp.last_match(1) # not the folder of a Ruby, as in gems/4.0.0
            when %r{/spate/} then "spate"
            when /\A<internal:/, %r{/ruby/} then "Ruby"
            else "application"
            end
          end

          # Microseconds of their own by kind: what is "C" and what is "collection".
          def kinds
            own, = @recording.costs
            sums = Hash.new(0)
            collecting = 0
            @recording.each_sample { |_, weight, _, _, kind| collecting += weight if kind == Recording::COLLECTING }
            own.each_with_index { |weight, number| sums[kind(@recording.frames[number])] += weight }
            sums.delete("other")
            sums["garbage collection"] = collecting
            sums.select { |_, weight| weight.positive? }.sort_by { |_, weight| -weight }.first(8).to_h
          end
        end
      end
    end
  end
end
