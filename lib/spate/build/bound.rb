# frozen_string_literal: true

module Spate
  module Build
    # Stored builds that hold their bundle's folder, and so serve no other: why an install builds again what the store
    # has (nokogiri and sqlite3 from source remember where their libraries lie).
    class Bound
      def initialize(store)
        @store = store
      end

      # {full name => [folders of bundles]}
      def all
        @all ||= records.select(&:root).group_by(&:full_name).transform_values { |found| found.map(&:root).uniq.sort }
      end

      # How many builds the store has, and of which gems.
      def total = records.size
      def full_names = records.filter_map(&:full_name).uniq

      private

      def records
        @records ||= keys.filter_map { |key| @store.build(key)&.then { |manifest| Record.parse(manifest.facts) } }
      end

      def keys
        Dir.children(@store.path("builds")).sort
      rescue SystemCallError
        []
      end
    end
  end
end
