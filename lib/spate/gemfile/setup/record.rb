# frozen_string_literal: true

require_relative "../record"

module Spate
  module Gemfile
    module Setup
      # The record of what Bundler.setup does to a process. Application compile caches hold them.
      class Record < Gemfile::Record
        # Names in a compile cache's data.
        NAMES = Array.new(List::MOST) { |index| "replay#{index + 1 if index.positive?}".freeze }.freeze

        # source: answers `data(name)`, bytes or nil.
        def self.list(source) = List.new(NAMES.filter_map { |name| source.data(name) }.map { |bytes| new(bytes) })

        # {name => bytes} for a compile cache's data.
        def self.data(records) = NAMES.zip(records.map(&:bytes)).to_h.compact

        # See Boot::BundlerReplay::Activation.
        def facts = part(0)

        # What is rarely asked of a specification.
        def more = part(1)

        # [$LOAD_PATH's new entries, [[gem folder, [absolute require paths]]]]; nil where it may not be used. Without
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
