# frozen_string_literal: true

require "install/kill_case"

# Kills five installs at random times. test/full/kill_test.rb kills 50.
class KillTest < KillCase
  def test_five_kills = rounds(5)
end
