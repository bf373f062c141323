# frozen_string_literal: true

module Spate
  module JS
    module Pnpm
      class Layout
        # Which packages need each other in a circle: the strongly connected components of a graph (Tarjan, "Depth-first
        # search and linear graph algorithms", 1972).
        class Circles
          # The block answers the keys that a key needs.
          def initialize(&needs)
            @needs = needs
            @circles = {}
            @numbers = {}
            @lowest = {}
            @open = []
          end

          # All keys of the circle that a key is in, itself too. Raises SystemStackError.
          def of(key)
            visit(key) unless @numbers.key?(key)
            @circles.fetch(key)
          end

          private

          def visit(key)
            @numbers[key] = @lowest[key] = @numbers.size
            @open << key
            @needs.call(key).each do |other|
              visit(other) unless @numbers.key?(other)
              @lowest[key] = [@lowest[key], @lowest[other]].min unless @circles.key?(other)
            end
            close(key) if @lowest[key] == @numbers[key]
          end

          def close(key)
            circle = @open.slice!(@open.rindex(key)..)
            circle.each { |each| @circles[each] = circle }
          end
        end
      end
    end
  end
end
