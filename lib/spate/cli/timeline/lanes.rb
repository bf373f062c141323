# frozen_string_literal: true

module Spate
  module CLI
    class Timeline
      # A row of the page: the work of one thread in one phase. A thread with parallel work (one connection with many
      # streams) has several rows.
      #
      # phase:: of Span. number:: within the phase, starting at 1. thread:: its thread. free:: when its last span ends
      Lane = Struct.new(:phase, :number, :thread, :free)

      # Assigns each span to a row.
      module Lanes
        PHASES = %w[fetch unpack link build].freeze
        # Seconds by which spans of a thread may appear to overlap, since times are recorded when an event arrives.
        SLACK = 0.001

        # spans: [Span] by their start; sets the lane of each. Returns the lanes, from the top down.
        def self.assign(spans)
          lanes = Hash.new { |all, phase| all[phase] = [] }
          spans.each do |span|
            span.lane = lane(lanes[span.phase], span)
            span.lane.free = span.end
          end
          PHASES.flat_map { |phase| lanes[phase] }
        end

        # Prefers a lane of the same thread, then another free one, then a new one.
        def self.lane(lanes, span)
          free = lanes.select { |lane| lane.free <= span.start + SLACK }
          free.find { |lane| lane.thread.equal?(span.thread) } || new_lane(lanes, span, free)
        end

        # A thread without a lane gets a new one, except for builds, where each thread waits for one child and ends with
        # it.
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
