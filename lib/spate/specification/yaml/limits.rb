# frozen_string_literal: true

require "psych"

module Spate
  module Specification
    module Yaml
      # Limits the cost of a YAML text, since a few bytes can exhaust memory: nested aliases may expand to billions of
      # texts, which RubyGems would write out, and libyaml's time grows with the square of the nesting. Checks the
      # events of a text before anything is built from it.
      class Limits < Psych::Handler
        # Estimated bytes of expanded aliases. Gems share a requirement between dependencies, which needs some hundreds
        # of aliases.
        LIMIT = 16 << 20
        NODE = 16
        # Maximum nesting. Psych's own visitor overflows Ruby's stack from about a tenth of this.
        DEEPEST = 10_000

        # yaml: String. Raises Gem::InstallError.
        def self.check(yaml)
          Psych::Parser.new(new).parse(yaml)
        rescue Psych::SyntaxError
          nil # RubyGems reports the error
        end

        def initialize
          super
          @weights = [0] # one number for each open collection
          @anchors = []
          @known = {}
          @added = 0
        end

        def scalar(value, anchor, *) = weigh(NODE + value.bytesize, anchor)

        def alias(anchor)
          @added += weigh(@known.fetch(anchor, 0), nil)
          refuse("its aliases expand to more than #{LIMIT >> 20} MiB") if @added > LIMIT
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
