# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Samples CPU time with the gem stackprof, and reads its output: the Hash of StackProf.results as JSON, which the
      # program stackprof and speedscope read too. Each sample belongs to the thread that holds the GVL.
      class Stackprof
        # Raises LoadError when the gem is not installed.
        def initialize
          require "stackprof"
        end

        def name = "stackprof"
        def mode = "cpu"
        def start(interval) = StackProf.start(mode: :cpu, interval: interval, raw: true, aggregate: true)

        def stop(facts)
          StackProf.stop
          results = StackProf.results or raise Unable, "stackprof recorded nothing"
          results[:frames].each_value { |frame| frame.update(name: text(frame[:name]), file: text(frame[:file])) }
          JSON.parse(JSON.generate(results.merge(metadata: { "spate" => facts })))
        end

        private

        # Converts to UTF-8 for JSON, because method names may contain any bytes.
        def text(bytes) = bytes.to_s.dup.force_encoding(Encoding::UTF_8).scrub("?")

        # Reads a profile's stacks.
        class Output
          def self.fits?(output) = output["frames"].is_a?(Hash) && output["raw"].is_a?(Array)

          def initialize(output)
            @output = output
            @frames = output["frames"].to_h { |id, told| [id.to_i, frame(told)] }
          end

          def facts
            @facts ||= { "profiler" => "stackprof", "mode" => @output["mode"], "missed" => @output["missed_samples"] }
                       .merge(@output.dig("metadata", "spate") || {})
          end

          # Yields the same as Vernier::Output. stackprof does not record thread names.
          def each_stack
            counts.each do |(ids, line), count|
              stack = ids.map { |id| [@frames.fetch(id), 0] }
              stack.last[1] = line.to_i unless stack.empty?
              yield "Ruby", stack, (count * weight).round, count
            end
          end

          private

          def frame(told)
            path = told["file"].to_s
            Recording::Frame.new(told.fetch("name"), path.empty? ? nil : path, told["line"])
          end

          # Returns {[frames, line of the innermost frame] => samples}. For each stack, "raw" contains its size, its
          # frames with the outermost first, and the number of consecutive samples with this stack. "raw_lines" contains
          # lines instead of frames.
          def counts
            raw, lines = @output.values_at("raw", "raw_lines")
            at = 0
            sums = Hash.new(0)
            while at < raw.size
              size = raw[at]
              sums[[raw[at + 1, size], lines && lines[at + size]]] += raw.fetch(at + size + 1)
              at += size + 2
            end
            sums
          end

          # Microseconds per sample. The kernel may sample less often than requested, so the measured CPU time is
          # divided by the number of samples.
          def weight
            samples = @output["samples"].to_i
            facts["cpu"] && samples.positive? ? facts["cpu"] * 1_000_000 / samples : @output["interval"].to_i
          end
        end
      end
    end
  end
end
