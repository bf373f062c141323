# frozen_string_literal: true

require "psych"

module Spate
  module Specification
    module Yaml
      # A few bytes of YAML can cost more than a machine has: aliases of aliases stand for billions of texts, which
      # RubyGems would write out, and libyaml takes time that grows with the square of the nesting. Looks at a text
      # event by event before anything is built from it.
      class Limits < Psych::Handler
        # Bytes that aliases stand for, as a guess. Gems share a requirement between dependencies: some hundreds.
        LIMIT = 16 << 20
        NODE = 16
        # Psych's own visitor needs more stack than Ruby has from a tenth of it on.
        DEEPEST = 10_000

        # yaml: String. Raises Gem::InstallError.
        def self.check(yaml)
          Psych::Parser.new(new).parse(yaml)
        rescue Psych::SyntaxError
          nil # which RubyGems reports
        end

        def initialize
          super
          @weights = [0] # of the collections that are open
          @anchors = []
          @known = {}
          @added = 0
        end

        def scalar(value, anchor, *) = weigh(NODE + value.bytesize, anchor)

        def alias(anchor)
          @added += weigh(@known.fetch(anchor, 0), nil)
          refuse("its aliases stand for more than #{LIMIT >> 20} MiB") if @added > LIMIT
        end

        def start_sequence(anchor, *) = start(anchor)
        def start_mapping(anchor, *) = start(anchor)
        def end_sequence = finish
        def end_mapping = finish

        private

        def start(anchor)
          @anchors << anchor
          @weights << NODE
          refuse("it is nested more than #{DEEPEST} levels deep") if @anchors.size > DEEPEST
        end

        def finish = weigh(@weights.pop, @anchors.pop)

        def weigh(bytes, anchor)
          @known[anchor] = bytes if anchor
          @weights[-1] += bytes
          bytes
        end

        def refuse(words) = raise(Gem::InstallError, words)
      end
    end
  end
end
