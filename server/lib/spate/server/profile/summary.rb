# frozen_string_literal: true

module Spate
  module Server
    module Profile
      # The frames that took most, as data and as lines of text.
      class Summary
        # Microseconds, shares of all.
        Row = Struct.new(:name, :path, :own, :total, :share)

        def initialize(recording)
          @recording = recording
        end

        # [Row] those with the most time of their own.
        def top(count = 10)
          own, all = @recording.costs
          whole = [@recording.total, 1].max.to_f
          order = (0...own.size).select { |number| own[number].positive? }.max_by(count) { |number| own[number] }
          order.map do |number|
            frame = @recording.frames[number]
            Row.new(frame.name, frame.path, own[number], all[number], own[number] / whole)
          end
        end

        def to_s
          whole = [@recording.total, 1].max
          rows = top.map do |row|
            format("%<own>6.1f %%  %<all>6.1f %%  %<name>s", own: row.share * 100, all: row.total * 100.0 / whole,
                                                             name: row.name)
          end
          ["   own     total", *rows].join("\n")
        end
      end
    end
  end
end
