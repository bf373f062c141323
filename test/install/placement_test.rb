# frozen_string_literal: true

require "test_helper"
require "spate/install"

module Spate
  module Install
    class PlacementTest < Minitest::Test
      # Ctrl-C, or the thread is ended.
      def test_nothing_is_left_of_a_text_that_is_interrupted_while_it_is_written
        path = File.join(folder, "a.gemspec")
        [-> { raise Interrupt }, -> { Thread.exit }].each do |ending|
          text = Object.new
          text.define_singleton_method(:to_s) { ending.call }
          Thread.new { Placement.text(path, text) }.tap { |thread| thread.report_on_exception = false }.join
        rescue Interrupt
          assert_empty Dir.children(folder)
        end

        assert_empty Dir.children(folder)
      end
    end
  end
end
