# frozen_string_literal: true

require_relative "../record"

module Spate
  module Gemfile
    module Setup
      # The record of the changes that Bundler.setup makes to a process. Application compile caches contain such
      # records.
      class Record < Gemfile::Record
        # Names in a compile cache's data.
        NAMES = Array.new(List::MOST) { |index| "replay#{index + 1 if index.positive?}".freeze }.freeze

        # source: responds to `data(name)`, which returns bytes or nil.
        def self.list(source) = List.new(NAMES.filter_map { |name| source.data(name) }.map { |bytes| new(bytes) })

        # {name => bytes} for a compile cache's data.
        def self.data(records) = NAMES.zip(records.map(&:bytes)).to_h.compact

        # See Boot::BundlerReplay::Activation.
        def facts = part(0)

        # Rarely used fields of specifications.
        def more = part(1)

        # [$LOAD_PATH's new entries, [[gem folder, [absolute require paths]]]]; nil if the record is unusable. Excludes
        # Bundler itself, whose files a boot records when it loads them.
        def contents
          return if unreadable || refused

          bundled = facts[:specs].values_at(*facts[:bundled]).reject { |spec| spec.first == "bundler" }
          [facts[:load_path], bundled.map { |spec| spec.values_at(4, 6) }]
        end
      end
    end
  end
end
