# frozen_string_literal: true

require "install/kill_case"

# A few kills; test/full has more.
class KillTest < KillCase
  def test_five_kills = rounds(5)
end
