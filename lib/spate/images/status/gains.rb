# frozen_string_literal: true

module Spate
  module Images
    class Status
      # The time that images save, by kind of boot: medians of the last boots that had images, the last one that had
      # none (or nil), and the last of all.
      module Gains
        # lines: [Boot::BootLog::Line]
        # [{kind:, boots:, wall:, cpu:, without_wall:, without_cpu:, last_wall:, last_cpu:}]
        def self.of(lines)
          lines.group_by(&:kind).map do |kind, boots|
            with = boots.select { |boot| boot.share >= Boot::BootLog::WITH }.last(10)
            without = boots.reverse.find { |boot| boot.share < Boot::BootLog::WITHOUT && boot.hits + boot.others > 1 }
            { kind: kind, boots: with.size, wall: Boot::BootLog.median(with.map(&:wall)),
              cpu: Boot::BootLog.median(with.map(&:cpu)), without_wall: without&.wall, without_cpu: without&.cpu,
              last_wall: boots.last.wall, last_cpu: boots.last.cpu }
          end
        end
      end
    end
  end
end
