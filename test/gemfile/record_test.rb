# frozen_string_literal: true

require "test_helper"

module Spate
  module Gemfile
    class RecordTest < Minitest::Test
      # If a record is stored again, it must not evict a record of another branch or environment.
      def test_a_list_has_each_record_once
        first, second = %w[a b].map { |text| Record.new(Record.bytes({ root: text })) }
        kept = Record::List.new([first, second]).with(Record.new(second.bytes.dup))

        assert_equal [second, first], kept.to_a
      end
    end
  end
end
