# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # Samples all threads over wall time with the gem vernier, and reads its output: the Firefox profiler's "processed
      # profile" with tables in each thread (versions up to 55).
      class Vernier
        TABLES = %w[samples stackTable frameTable funcTable stringArray].freeze
        # Categories of samples in which the thread did not run, and the frames that the page shows for them.
        WAITING = { "Idle" => "(idle)", "Stalled" => "(waiting for Ruby's lock)" }.freeze

        # Raises LoadError when the gem is not installed.
        def initialize
          require "vernier"
        end

        def name = "vernier"
        def mode = "wall"
        def start(interval) = ::Vernier.start_profile(mode: :wall, interval: interval)

        def stop(facts)
          output = JSON.parse(::Vernier.stop_profile.to_firefox)
          output["meta"]["spate"] = facts
          output
        end

        # Reads a profile's stacks.
        class Output
          def self.fits?(output) = output["threads"].is_a?(Array)

          def initialize(output)
            @output = output
          end

          def facts
            @facts ||= @output.dig("meta", "spate") ||
                       { "profiler" => @output.dig("meta", "product"), "mode" => "wall" }
          end

          # For each stack, yields the thread's name, [[Frame, line], ...] with the outermost first, the microseconds
          # and the number of samples. Equal stacks of a thread are yielded once.
          def each_stack
            @output["threads"].each do |thread|
              stacks = stacks(thread)
              samples(thread).each do |stack, count|
                yield thread["name"], stack ? stacks[stack] : [], count * interval, count
              end
            end
          end

          private

          def interval = facts["interval"] || 1000

          def samples(thread)
            weights = thread["samples"]["weight"]
            thread["samples"].fetch("stack").each_with_index.with_object(Hash.new(0)) do |(stack, index), sums|
              sums[stack] += weights ? weights.fetch(index) : 1
            end
          end

          # Returns the stacks of a thread. In the table, a stack comes after its prefix.
          def stacks(thread)
            table = thread["stackTable"]
            frames = frames(thread)
            table["frame"].each_with_index.with_object([]) do |(frame, index), stacks|
              prefix = table["prefix"][index]
              stacks << [*(stacks.fetch(prefix) if prefix), frames.fetch(frame), *waiting(table["category"][index])]
            end
          end

          def frames(thread)
            functions = functions(thread)
            table = thread["frameTable"]
            table["func"].zip(table["line"]).map { |function, line| [functions.fetch(function), line.to_i] }
          end

          def functions(thread)
            strings = thread["stringArray"]
            table = thread["funcTable"]
            table["name"].zip(table["fileName"], table["lineNumber"]).map do |name, file, line|
              Recording::Frame.new(strings.fetch(name), file && strings.fetch(file), line)
            end
          end

          def waiting(category)
            name = WAITING[@output.dig("meta", "categories", category, "name")]
            name && [[Recording::Frame.new(name), 0]]
          end
        end
      end
    end
  end
end
