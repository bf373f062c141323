# frozen_string_literal: true

require "support/boot_property_case"

# Runs a few seconds; test/full/boot_property_test.rb runs minutes.
class BootPropertyTest < Spate::BootPropertyCase
  def test_edits_at_random_boot_as_plain_ruby_does
    assert_operator edit_at_random(6), :>, 2
  end
end
