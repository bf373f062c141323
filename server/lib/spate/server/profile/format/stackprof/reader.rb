# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Format
        class Stackprof
          # A Recording out of a dump. Its samples are all of one thread: the format names none.
          class Reader
            def initialize(results, path)
              @results = results
              @path = path
              fail_with("is no dump of stackprof") unless results.is_a?(Hash) && results[:frames].is_a?(Hash)
              fail_with("has no raw stacks: record with `raw: true`") unless results[:raw].is_a?(Array)
            end

            def recording
              @numbers = @results[:frames].each_key.with_index.to_h
              @frames = @results[:frames].values.map { |told| frame(told) }
              @tree = Tree.new
              @samples = []
              read_stacks
              Recording.new(frames: @frames, tree: @tree, samples: @samples, facts: facts)
            end

            private

            def fail_with(reason) = raise(Unreadable.new(@path, reason))

            def frame(told)
              path = told[:file].to_s
              Recording::Frame.new(text(told[:name]), path.empty? ? nil : text(path), told[:line])
            end

            def text(value) = value.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")

            # [length, frames outermost first, times in a row] one after another; the lines are in an Array of their
            # own.
            def read_stacks
              raw = @results[:raw]
              lines = @results[:raw_lines] || []
              at = 0
              while at < raw.size
                length = raw[at]
                node = @tree.add(stack(raw[at + 1, length], lines[at + 1, length]))
                raw.fetch(at + length + 1).times { add(node) }
                at += length + 2
              end
            rescue TypeError, NoMethodError, IndexError
              fail_with("has raw stacks that cannot be read")
            end

            def stack(frames, lines)
              frames.each_with_index.map { |id, index| [@numbers.fetch(id), (lines && lines[index]).to_i] }
            end

            def add(node)
              index = @samples.size / 5
              at = (@results[:raw_sample_timestamps] || [])[index] || (index * interval)
              name = @frames[@tree.frame(node)].name
              kind = name == Recording::GC || name.match?(/\A\((marking|sweeping)\)\z/)
              @samples.push(at, weight, node, 0, kind ? Recording::COLLECTING : Recording::RUBY)
            end

            def interval = @results[:interval].to_i

            # Where the CPU time is known: the kernel may have ticked more seldom than it was asked to.
            def weight
              @weight ||= begin
                cpu = told["engine"] == "stackprof" ? told["cpu"] : nil
                samples = @results[:samples].to_i
                cpu && samples.positive? ? (cpu * 1_000_000 / samples).round : interval
              end
            end

            def told = @told ||= (@results[:metadata].is_a?(Hash) && @results[:metadata]["spate"]) || {}

            def facts
              { "engine" => "stackprof", "mode" => @results[:mode] == :wall ? "wall" : "cpu", "interval" => interval,
                "missed" => @results[:missed_samples] }.merge(told, "threads" => { "0" => "Ruby" })
            end
          end
        end
      end
    end
  end
end
