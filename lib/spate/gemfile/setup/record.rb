# frozen_string_literal: true

require_relative "../record"

module Spate
  module Gemfile
    module Setup
      # A record of the effects of Bundler.setup on a process, stored in the application's compile cache.
      class Record < Gemfile::Record
        # The names of the records in a compile cache's data.
        NAMES = Array.new(List::MOST) { |index| "replay#{index + 1 if index.positive?}".freeze }.freeze

        # source: responds to `data(name)`, which returns bytes or nil.
        def self.list(source) = List.new(NAMES.filter_map { |name| source.data(name) }.map { |bytes| new(bytes) })

        # {name => bytes} for a compile cache's data.
        def self.data(records) = NAMES.zip(records.map(&:bytes)).to_h.compact

        # See Boot::BundlerReplay::Activation.
        def facts = part(0)

        # Rarely needed fields of specifications.
        def more = part(1)

        # Returns [new entries of $LOAD_PATH, [[gem folder, [absolute require paths]]]], or nil if the record is
        # unusable. Excludes Bundler, whose files are recorded when a boot loads them.
        def contents
          return if unreadable || refused

          bundled = facts[:specs].values_at(*facts[:bundled]).reject { |spec| spec.first == "bundler" }
          [facts[:load_path], bundled.map { |spec| spec.values_at(4, 6) }]
        end
      end
    end
  end
end
