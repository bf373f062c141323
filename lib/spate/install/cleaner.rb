# frozen_string_literal: true

module Spate
  module Install
    # `bundle clean`: removes from the bundle what its lockfile does not name. Bundler itself does it, for it knows
    # best what else of a gem lies around.
    class Cleaner
      REMOVED = /\ARemoving (\S+) \((.+)\)/

      def initialize(context)
        @context = context
      end

      # Array of "name-version" that went.
      def call
        output = Gemfile::BundleCommand.capture(["clean"], @context.location, @context.settings)
        output.each_line.filter_map { |line| "#{$1}-#{$2}" if line =~ REMOVED }
      end
    end
  end
end
