# frozen_string_literal: true

module Spate
  module Install
    # `bundle clean`: removes what the lockfile does not name. Bundler itself does it, since it knows best what else
    # belongs to a gem.
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
