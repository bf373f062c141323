# frozen_string_literal: true

module Spate
  module Install
    # `bundle clean`: removes gems that the lockfile does not name. Runs Bundler, which knows what else belongs to a
    # gem.
    class Cleaner
      REMOVED = /\ARemoving (\S+) \((.+)\)/

      def initialize(context)
        @context = context
      end

      # Returns "name-version" of each removed gem.
      def call
        output = Gemfile::BundleCommand.capture(["clean"], @context.location, @context.settings)
        output.each_line.filter_map { |line| "#{$1}-#{$2}" if line =~ REMOVED }
      end
    end
  end
end
