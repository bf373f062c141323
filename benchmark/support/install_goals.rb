# frozen_string_literal: true

require "support/measure"

module Benchmark
  # Goals of the install benchmark: ratios of the median wall times in one interleaved run.
  class InstallGoals
    SPATE = /\Aspate, (?:store|nothing|launcher|restored)/
    WRAPPER = /wrapper\z/
    BUNDLER = /\ABundler [\d.]+\z/
    SKIPPING = /extensions skipped\z/
    SCINT = /\Ascint/
    FLOOR = /\Afloor/
    RUBY = /\Aruby -e 1\z/

    # medians: name of a row => seconds
    def initialize(medians)
      @medians = medians
    end

    def warm
      [at_least("80 x of Bundler (middle app)", 80, BUNDLER), at_least("3 x of scint", 3, SCINT),
       at_most("1.4 x of the floor and starting Ruby", 1.4, spate, sum(FLOOR, RUBY))]
    end

    def extract
      [at_most("1.5 x of the floor", 1.5, spate, of(FLOOR)), at_least("6 x of Bundler", 6, SKIPPING)]
    end

    def cold
      longer = [of(/\Adownloading/), of(/\Abuilds/)].compact.max
      [at_most("1.15 x of the longer part", 1.15, spate, longer), at_least("2 x of Bundler", 2, BUNDLER),
       at_least("faster than scint", 1, SCINT)]
    end

    def noop
      [at_most("launcher 1.2 x of ruby -e 1", 1.2, spate, of(RUBY)),
       at_most("wrapper 1.8 x of ruby -e 1", 1.8, of(WRAPPER), of(RUBY))]
    end

    def trace = [at_most("1.03 x of untraced", 1.03, of(/\Abuilds, traced/), of(/untraced\z/))]
    def restored = [at_most("3 x of warm", 3, spate, of(/store full/))]

    private

    def of(pattern) = @medians.find { |name, _| name.match?(pattern) }&.last
    def spate = of(SPATE)
    def sum(*patterns) = patterns.map { |pattern| of(pattern) }.then { |all| all.include?(nil) ? nil : all.sum }

    def at_least(text, factor, peer)
      seconds = of(peer)
      [told(text, seconds && (seconds / spate)), seconds && seconds >= factor * spate]
    end

    def at_most(text, factor, seconds, base)
      known = seconds && base
      [told(text, known && (seconds / base)), known && seconds <= factor * base]
    end

    def told(text, ratio) = ratio ? format("%<text>s (%<ratio>.2f)", text: text, ratio: ratio) : text
  end
end
