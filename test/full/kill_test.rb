# frozen_string_literal: true

require "install/kill_case"

# Kills 50 installs. test/install/trouble/kill_test.rb kills five, which may miss rare moments.
class ManyKillsTest < KillCase
  def test_fifty_kills = rounds(50)
end
