# frozen_string_literal: true

module Spate
  module JS
    class Package
      class Facts
        # Facts parsed lazily from text: a restore has thousands of them, and for most checks only whether the package
        # builds.
        class Kept
          BUILDING = BUILDS.map { |name| "\nscript\t#{name}\t" }.freeze
          private_constant :BUILDING

          # text: of this version.
          def initialize(text)
            @text = text
          end

          Facts.members.each { |name| define_method(name) { facts[name] } }
          def executables = facts.executables
          def builds? = BUILDING.any? { |line| @text.include?(line) }
          def to_s = @text
          # The same, read.
          def facts = @facts ||= Text.parse(@text)
        end
      end
    end
  end
end
