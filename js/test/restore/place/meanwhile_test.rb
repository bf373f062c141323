# frozen_string_literal: true

require "test_helper"

# Place::Meanwhile runs two tasks at once. It kills neither, and raises the error of either when both have ended.
class JSRestorePlaceMeanwhileTest < Minitest::Test
  Meanwhile = Spate::JS::Restore::Place::Meanwhile

  def test_returns_the_result_of_the_block
    done = []
    assert_equal 1, Meanwhile.call(-> { done << 2 }) { 1 }
    assert_equal [2], done
  end

  def test_raises_an_error_of_the_block_or_the_other_thread
    assert_equal "other", assert_raises(IOError) { Meanwhile.call(-> { raise IOError, "other" }) { 1 } }.message
    assert_equal "block", assert_raises(IOError) { Meanwhile.call(-> {}) { raise IOError, "block" } }.message
  end

  # If a thread that loads a file is killed, RubyGems raises another error, which hides the first one.
  def test_a_failure_while_the_other_loads_a_file
    path = write("slow.rb", "$slow = [:begun]\nsleep 0.2\n$slow << :done\n")
    error = assert_raises(IOError) do
      Meanwhile.call(-> { require path }) do
        sleep 0.01 until $slow # rubocop:disable Style/GlobalVars
        raise IOError, "block"
      end
    end

    assert_equal "block", error.message
    assert_equal %i[begun done], $slow # rubocop:disable Style/GlobalVars
  end
end
