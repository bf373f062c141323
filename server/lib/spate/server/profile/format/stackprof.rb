# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Format
        # What StackProf.results answers, with raw stacks, marshalled: the format 1.2 of the gem stackprof. One of its
        # samples is an interval, so a tick that stands for four of them counts four times.
        class Stackprof
          def self.write(recording, io)
            io.write(Marshal.dump(new(recording).to_h))
          end

          def self.read(bytes, path)
            recording(SafeMarshal.load(bytes, path), path)
          end

          # results: as StackProf.results answers. Unreadable where it was made without `raw: true`.
          def self.recording(results, path = "stackprof")
            Reader.new(results, path).recording
          end

          autoload :Reader, "spate/server/profile/format/stackprof/reader"

          def initialize(recording)
            @recording = recording
            @tree = recording.tree
          end

          def to_h
            @frames = {}
            @raw = []
            @lines = []
            @times = []
            @deltas = []
            @samples = @collecting = 0
            @recording.each_sample { |at, weight, node, _, kind| add(at, weight, node, kind) }
            { version: 1.2, mode: @recording.wall? ? :wall : :cpu, interval: @recording.interval, samples: @samples,
              gc_samples: @collecting, missed_samples: @recording.facts["missed"] || 0,
              metadata: { "spate" => @recording.facts }, frames: @frames, raw: @raw, raw_lines: @lines,
              raw_sample_timestamps: @times, raw_timestamp_deltas: @deltas }
          end

          private

          def add(at, weight, node, kind)
            return if node.zero?

            count = [(weight / @recording.interval.to_f).round, 1].max
            stack = @tree.stack(node)
            @samples += count
            @collecting += count if kind == Recording::COLLECTING
            @raw.push(stack.size, *stack.map { |frame, _| frame + 1 }, count)
            @lines.push(stack.size, *stack.map(&:last), count)
            count.times { |part| @times << (at - ((count - part - 1) * weight / count)) }
            count.times { @deltas << (weight / count) }
            sum(stack, count)
          end

          def sum(stack, count)
            seen = {}
            stack.each_with_index do |(number, line), index|
              entry = @frames[number + 1] ||= describe(@recording.frames[number])
              own = index == stack.size - 1 ? count : 0
              entry[:samples] += own
              entry[:total_samples] += count unless seen[number]
              seen[number] = true
              add_line(entry, line, count, own)
              callee = stack[index + 1]&.first or next
              edges = entry[:edges] ||= {}
              edges[callee + 1] = (edges[callee + 1] || 0) + count
            end
          end

          def add_line(entry, line, count, own)
            return if line.zero?

            sums = (entry[:lines] ||= {})[line] ||= [0, 0]
            sums[0] += count
            sums[1] += own
          end

          def describe(frame)
            told = { name: frame.name, file: frame.path.to_s, total_samples: 0, samples: 0 }
            told[:line] = frame.line if frame.line&.positive?
            told
          end
        end
      end
    end
  end
end
