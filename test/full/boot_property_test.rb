# frozen_string_literal: true

require "support/boot_property_case"

# Random edits for five minutes. SPATE_SEED=N repeats a run.
class BootPropertyFullTest < Spate::BootPropertyCase
  def test_edits_at_random_boot_as_plain_ruby_does
    assert_operator edit_at_random(300), :>, 30
  end
end
