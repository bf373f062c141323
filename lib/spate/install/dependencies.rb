# frozen_string_literal: true

module Spate
  module Install
    # Dependencies among the items of one plan.
    class Dependencies
      # items: all items of the plan.
      def initialize(items)
        @by_name = items.group_by(&:name)
        @closures = {}.compare_by_identity
      end

      # All direct and indirect dependencies of an item, in any order. Excludes the item itself, even in a cycle.
      def of(item)
        @closures[item] ||= collect(direct(item), item)
      end

      # All dependencies of a gem that is not an item, given the names of its direct dependencies.
      def named(names) = collect(with(names))

      private

      def collect(waiting, item = nil)
        found = {}.compare_by_identity
        while (needed = waiting.pop)
          next if found.key?(needed) || needed.equal?(item)

          found[needed] = true
          waiting.concat(direct(needed))
        end
        found.keys
      end

      def direct(item) = with(item.package.dependencies)
      def with(names) = names.flat_map { |name| @by_name.fetch(name, []) }
    end
  end
end
