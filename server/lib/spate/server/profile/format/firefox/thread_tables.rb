# frozen_string_literal: true

module Spate
  module Server
    module Profile
      module Format
        class Firefox
          # A thread of a profile: tables by column, which name each other's rows and strings by number.
          class ThreadTables
            RUBY, NATIVE, GEM, GC, OUTSIDE, FOREIGN = *0..5

            # samples: [[microseconds, weight, node, kind], ...]. start: milliseconds (monotonic) of the recording's.
            def initialize(recording, thread, samples, start)
              @recording = recording
              @tree = recording.tree
              @thread = thread
              @samples = samples
              @start = start
              @strings = {}
              @functions = {} # a frame's number => row
              @frames = {} # [function's row, line, category] => row
              @stacks = {} # [node, whether it is a leaf without Ruby's lock] => row
              @prefixes = []
              @stack_frames = []
            end

            def to_h
              samples = sample_table # fills the others
              { name: @recording.thread_name(@thread), isMainThread: @recording.thread_name(@thread) == "main",
                processType: "default", processName: "spate-serve", processStartupTime: 0, processShutdownTime: nil,
                registerTime: 0, unregisterTime: nil, pausedRanges: [], pid: (@recording.facts["pid"] || 0).to_s,
                tid: @thread, samples: samples, stackTable: stack_table, frameTable: frame_table,
                funcTable: function_table, resourceTable: empty(:lib, :name, :host, :type),
                nativeSymbols: empty(:libIndex, :address, :name, :functionSize),
                markers: empty(:data, :name, :startTime, :endTime, :phase, :category), stringArray: @strings.keys }
            end

            private

            def empty(*columns) = columns.to_h { |name| [name, []] }.merge(length: 0)
            def string(text) = @strings[text] ||= @strings.size

            def sample_table
              { stack: @samples.map { |_, _, node, kind| stack(node, kind) },
                time: @samples.map { |at,| ((at / 1000.0) - @start).round(3) },
                weight: @samples.map { |_, weight| weight / 1000.0 }, weightType: "tracing-ms",
                threadCPUDelta: @samples.map { |_, weight| @recording.wall? ? nil : weight }, length: @samples.size }
            end

            # A row for the stack that ends in a node; its outer ones come first. nil for none.
            def stack(node, kind)
              return if node.zero?

              outside = kind == Recording::OUTSIDE
              @stacks[[node, outside]] ||= begin
                prefix = stack(@tree.parent(node), nil)
                @prefixes << prefix
                @stack_frames << frame(@tree.frame(node), @tree.line(node), outside)
                @prefixes.size - 1
              end
            end

            def frame(number, line, outside)
              @frames[[function(number), line, outside ? OUTSIDE : category(number)]] ||= @frames.size
            end

            def function(number) = @functions[number] ||= @functions.size

            def category(number)
              frame = @recording.frames[number]
              case frame.path
              when nil then frame.name == Recording::FOREIGN ? FOREIGN : GC
              when "<cfunc>" then NATIVE
              when %r{/gems/[^/]+/} then GEM
              else RUBY
              end
            end

            def stack_table
              categories = @stack_frames.map { |row| @frames.keys[row].last }
              { frame: @stack_frames, prefix: @prefixes, category: categories, subcategory: categories.map { 0 },
                length: @prefixes.size }
            end

            def frame_table
              rows = @frames.keys
              none = rows.map { nil }
              zero = rows.map { 0 }
              { address: rows.map { -1 }, inlineDepth: zero, category: rows.map(&:last), subcategory: zero,
                func: rows.map(&:first), nativeSymbol: none, innerWindowID: none, implementation: none,
                line: rows.map { |_, line,| line.zero? ? nil : line }, column: none, length: rows.size }
            end

            # isJS: whether there is a place in a source file.
            def function_table
              frames = @functions.keys.map { |number| @recording.frames[number] }
              ruby = frames.map { |frame| !frame.path.nil? && frame.path != "<cfunc>" }
              { name: frames.map { |frame| string(frame.name) }, isJS: ruby, relevantForJS: ruby,
                resource: frames.map { -1 }, fileName: frames.map { |frame| frame.path && string(frame.path) },
                lineNumber: frames.map(&:line), columnNumber: frames.map { nil }, length: frames.size }
            end
          end
        end
      end
    end
  end
end
