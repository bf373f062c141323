# frozen_string_literal: true

require "support/boot_property_case"

# After random edits, a boot must behave like plain Ruby. Runs for a few seconds; test/full/boot_property_test.rb runs
# for minutes.
class BootPropertyTest < Spate::BootPropertyCase
  def test_edits_at_random_boot_as_plain_ruby_does
    assert_operator edit_at_random(6), :>, 2
  end
end
