# frozen_string_literal: true

require "test_helper"

module Spate
  module Build
    # install/extensions/build_inputs_test.rb and others test the inputs by builds.
    class ObservedInputsTest < Minitest::Test
      def test_earlier_changes_have_earlier_times_than_the_start
        path = write("file", "")
        50.times do |i|
          File.write(path, i.to_s)
          start = Trace::ObservedInputs.start

          assert_operator File.stat(path).ctime, :<, start
          File.write(path, i.to_s)

          assert_operator File.stat(path).ctime, :>=, start
        end
      end
    end
  end
end
