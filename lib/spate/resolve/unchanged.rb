# frozen_string_literal: true

module Spate
  module Resolve
    # Records that `bundle lock` did not change a lockfile, so that the next `spate lock` need not run it. The record is
    # valid as long as the Gemfile check: for the same Gemfile, lockfile, settings, Ruby and Bundler.
    class Unchanged
      KIND = "checks"

      # context: CLI::Command::Context
      def initialize(context)
        @location = context.location
        @settings = context.settings
        @store = context.store
        @bundler = context.layout.rubygems.bundler_lib.to_s
      end

      def known?
        return false unless @location.lockfile? && @store.read(KIND, key)

        facts = Gemfile::Check.recall(store: @store, location: @location, settings: @settings)
        !facts.nil? && facts.agrees? && !facts.plugins?
      end

      # Called after a `bundle lock` that changed nothing.
      def remember
        return if @settings.unsupported.any?

        Gemfile::Check.for(store: @store, location: @location, settings: @settings)
        @store.write(KIND, key, "1")
      rescue Error
        nil # the next run calls Bundler again
      end

      private

      def key = "unchanged-#{Store.sha256([@bundler, Gemfile::Check.key(@location, @settings)].join("\n"))}"
    end
  end
end
