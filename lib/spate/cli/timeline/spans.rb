# frozen_string_literal: true

module Spate
  module CLI
    class Timeline
      # A period of work on one gem or package, computed from events. An event has only one time.
      #
      # name:: from the event. gem:: whether it is a gem. phase:: "fetch", "unpack", "link", "build"
      # start:: monotonic seconds. bytes, files:: Integer or nil. lane:: the row in which it is drawn (Lanes)
      Span = Struct.new(:name, :gem, :phase, :start, :seconds, :bytes, :files, :thread, :lane, keyword_init: true) do
        def end = start + seconds
      end

      # Converts events to spans. Events in BEGINS start an operation, events in ENDS end one, and events in LASTED
      # include a duration. Events in MARKS have no span.
      class Spans
        BEGINS = { fetch_start: "fetch", js_fetch_start: "fetch",
                   build_start: "build", js_script_start: "build", js_tool_start: "build" }.freeze
        ENDS = { fetch_done: "fetch", js_fetch_done: "fetch", build_done: "build", js_script_done: "build",
                 js_tool_done: "build" }.freeze
        WITH_DURATION = { unpacked: "unpack", js_unpacked: "unpack", link_done: "link", js_link_done: "link" }.freeze
        MARKS = { resolving: "Bundler resolves", handed_over: "running Bundler", plan: "gems known",
                  js_plan: "packages known", fetch_retry: "retried",
                  js_tool_start: "the project's own tool" }.freeze
        PACKAGE = /\Ajs_/

        # notes: [Note] in order of arrival. Returns [Span], sorted by start.
        def self.of(notes) = new(notes).call.sort_by(&:start)

        def initialize(notes)
          @notes = notes
          @open = {}
          @spans = []
        end

        def call
          @notes.each { |note| add(note, note.facts[:event]) }
          @spans
        end

        private

        def add(note, event)
          if (phase = BEGINS[event])
            @open[[phase, *package_key(note)]] = note
          elsif (phase = ENDS[event])
            began = @open.delete([phase, *package_key(note)])
            span(note, phase, began.when, began.thread) if began
          elsif (phase = WITH_DURATION[event])
            add_finished_span(note, phase)
          end
        end

        # Identifies the gem or package of an event. A gem and a package may have the same name.
        def package_key(note) = [note.facts[:name], gem?(note)]
        def gem?(note) = !PACKAGE.match?(note.facts[:event])

        # Adds the span of an event that is emitted at the end and includes a duration.
        def add_finished_span(note, phase)
          seconds = note.facts[:seconds] or return
          span(note, phase, note.when - seconds, note.thread)
        end

        def span(note, phase, start, thread)
          facts = note.facts
          @spans << Span.new(name: facts[:name] || several(note), gem: gem?(note), phase: phase,
                             start: start, seconds: [note.when - start, 0].max, bytes: facts[:bytes],
                             files: facts[:files], thread: thread)
        end

        # The name of a span for packages that were linked in one call: "1,356 packages".
        def several(note) = Units.count(note.facts[:total].to_i, gem?(note) ? "gem" : "package")
      end

      # A row of the page, with the work of one thread in one phase. A thread with parallel work (one connection with
      # many streams) has several rows.
      #
      # phase:: as in Span. number:: within the phase, starting at 1. thread:: its thread. free:: end of its last span
      Lane = Struct.new(:phase, :number, :thread, :free)

      # Assigns each span to a row.
      module Lanes
        PHASES = %w[fetch unpack link build].freeze
        # Seconds by which spans of a thread may seem to overlap, because times are recorded when an event arrives.
        SLACK = 0.001

        # Sets the lane of each span. Returns the lanes, from top to bottom. spans: [Span], sorted by start.
        def self.assign(spans)
          lanes = Hash.new { |all, phase| all[phase] = [] }
          spans.each do |span|
            span.lane = lane(lanes[span.phase], span)
            span.lane.free = span.end
          end
          PHASES.flat_map { |phase| lanes[phase] }
        end

        # Chooses a free lane of the same thread, otherwise another free lane, otherwise a new one.
        def self.lane(lanes, span)
          free = lanes.select { |lane| lane.free <= span.start + SLACK }
          free.find { |lane| lane.thread.equal?(span.thread) } || new_lane(lanes, span, free)
        end

        # Uses a free lane of another thread only if this thread already has a lane. Builds always use a free lane,
        # because each build has a new thread.
        def self.new_lane(lanes, span, free)
          known = span.phase == "build" || lanes.any? { |lane| lane.thread.equal?(span.thread) }
          return free.first if known && free.any?

          Lane.new(span.phase, lanes.length + 1, span.thread, 0).tap { |lane| lanes << lane }
        end
        private_class_method :lane, :new_lane
      end
    end
  end
end
