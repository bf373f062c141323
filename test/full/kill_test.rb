# frozen_string_literal: true

require "install/kill_case"

# Many kills, to reach moments that a few would miss.
class ManyKillsTest < KillCase
  def test_fifty_kills = rounds(50)
end
