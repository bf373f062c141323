# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Format
        class Firefox
          # A Recording out of a processed profile whose threads have tables of their own (versions up to 55): what is
          # written here, and what vernier writes.
          class Reader
            TABLES = %w[samples stackTable frameTable funcTable stringArray].freeze

            def initialize(told, facts, path)
              @told = told
              @path = path
              threads = told.is_a?(Hash) ? told["threads"] : nil
              unless threads.is_a?(Array) && threads.all? { |one| TABLES.all? { |name| one.is_a?(Hash) && one[name] } }
                raise Unreadable.new(path, "is no processed profile with tables in each thread (versions up to 55)")
              end

              @facts = told.dig("meta", "spate") || facts
            end

            def recording
              @frames = {}
              @tree = Tree.new
              @samples = []
              @names = {}
              @told["threads"].each { |thread| read(thread) }
              samples = @samples.sort_by.with_index { |sample, index| [sample.first, index] }.flatten
              Recording.new(frames: @frames.keys, tree: @tree, samples: samples, facts: facts)
            rescue TypeError, NoMethodError, IndexError
              raise Unreadable.new(@path, "has tables that do not fit together")
            end

            private

            def read(thread)
              number = thread["tid"].to_i
              @names[number.to_s] = thread["name"]
              nodes = nodes(thread)
              samples = thread["samples"]
              weights = samples["weight"]
              factor = samples["weightType"] == "tracing-ms" ? 1000 : interval
              samples.fetch("stack").each_with_index do |stack, index|
                at = (((samples["time"] || [])[index] || index) * 1000).round + start
                weight = ((weights ? weights[index] : 1) * factor).round
                @samples << [at, weight, stack ? nodes[stack] : 0, number, kind(thread, stack)]
              end
            end

            # Each stack's node. A stack's prefix comes before it.
            def nodes(thread)
              table = thread["stackTable"]
              lines = thread["frameTable"]["line"]
              functions = functions(thread)
              table["frame"].each_with_index.with_object([]) do |(frame, index), nodes|
                prefix = table["prefix"][index]
                function = functions[thread["frameTable"]["func"][frame]]
                nodes << @tree.child(prefix ? nodes[prefix] : 0, function, lines[frame].to_i)
              end
            end

            def functions(thread)
              table = thread["funcTable"]
              strings = thread["stringArray"]
              table["name"].each_index.map do |row|
                file = table["fileName"][row]
                frame = Recording::Frame.new(strings.fetch(table["name"][row]), file && strings.fetch(file),
                                             table["lineNumber"][row])
                @frames[frame] ||= @frames.size
              end
            end

            def kind(thread, stack)
              category = stack && (thread["stackTable"]["category"] || [])[stack]
              name = category && @told.dig("meta", "categories", category, "name")
              { "Garbage collection" => Recording::COLLECTING, "GC" => Recording::COLLECTING,
                "Without Ruby's lock" => Recording::OUTSIDE,
                "Without Ruby" => Recording::WITHOUT_RUBY }.fetch(name, Recording::RUBY)
            end

            def start = ((@facts["monotonic"] || 0) * 1_000_000).round

            # Microseconds.
            def interval = @facts["interval"] || ((@told.dig("meta", "interval") || 1) * 1000).round

            def facts
              { "engine" => @told.dig("meta", "product").to_s, "mode" => "wall", "interval" => interval }
                .merge(@facts, "threads" => @names)
            end
          end
        end
      end
    end
  end
end
