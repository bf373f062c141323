# frozen_string_literal: true

require "install/kill_case"

# Many kills, for the moments that a few do not meet.
class ManyKillsTest < KillCase
  def test_fifty_kills = rounds(50)
end
