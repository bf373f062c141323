# frozen_string_literal: true

module Spate
  module Boot
    module Standin
      # A `gem` line of the Gemfile. What it does not know it asks of the real Bundler's.
      class Dependency
        attr_reader :name, :groups, :autorequire

        def initialize(name, groups, autorequire, counts)
          @name = name
          @groups = groups
          @autorequire = autorequire
          @counts = counts
        end

        def should_include? = @counts

        def method_missing(name, ...)
          respond_to_missing?(name) ? real.public_send(name, ...) : super
        end

        def respond_to_missing?(name, include_private = false)
          real.respond_to?(name, include_private)
        end

        private

        def real
          @real ||= Real.load.definition.dependencies.find { |dependency| dependency.name == @name }
        end
      end
    end
  end
end
