# frozen_string_literal: true

module Spate
  module CLI
    class Timeline
      # A row of the page: what one thread did of one phase. Where a thread has several things under way (one connection
      # with many streams), as many rows as that.
      #
      # phase:: of Span. number:: within the phase, from 1 on. thread:: whose. free:: when its last span ends
      Lane = Struct.new(:phase, :number, :thread, :free)

      # Which span is drawn in which row.
      module Lanes
        PHASES = %w[fetch unpack link build].freeze
        # Seconds by which a thread's next span may seem to begin before its last one ended: moments are noted when an
        # event arrives.
        SLACK = 0.001

        # spans: [Span] by their start; gives each its lane. Answers the lanes, from the top down.
        def self.assign(spans)
          lanes = Hash.new { |all, phase| all[phase] = [] }
          spans.each do |span|
            span.lane = lane(lanes[span.phase], span)
            span.lane.free = span.end
          end
          PHASES.flat_map { |phase| lanes[phase] }
        end

        # One of the same thread before one of another, and a new one last.
        def self.lane(lanes, span)
          free = lanes.select { |lane| lane.free <= span.start + SLACK }
          free.find { |lane| lane.thread.equal?(span.thread) } || new_lane(lanes, span, free)
        end

        # A thread that has none gets one of its own, but where each waits for one child and ends with it.
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
