# frozen_string_literal: true

module Spate
  class Platform
    # Chooses among the variants of one gem in one version, as Bundler does. Variants are objects with `platform` (a
    # name or a Platform) and `content_address` (see ContentAddress; nil for most).
    class Choice
      def initialize(local)
        @local = local
      end

      # Variants that run here, best first. Equally good variants keep their order. Content-addressed variants come
      # first.
      def sorted(specs)
        fitting = specs.select { |spec| Platform.parse(spec.platform).match?(@local) }
        return fitting if fitting.size < 2

        fitting.sort_by.with_index { |spec, index| [*rank(spec), index] }
      end

      # The closest of `specs`, and all others with the same distance.
      def closest(specs)
        sorted = sorted(specs)
        nearest = sorted.first or return []

        rank = rank(nearest)
        sorted.take_while { |spec| rank(spec) == rank }
      end

      private

      def rank(spec) = [spec.content_address ? 0 : 1, Platform.parse(spec.platform).distance(@local)]
    end
  end
end
