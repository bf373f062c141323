# frozen_string_literal: true

require "support/boot_matrix_case"

# The boot after an edit must behave like plain Ruby. Several independent edits are made at once here;
# test/full/boot_edits_test.rb makes each alone.
class BootEditsTest < Spate::BootMatrixCase
  Spate::BootEdits::TOGETHER.each do |names|
    define_method(:"test_#{names.join(" & ").tr(",:'", "").tr(" ", "_")}") { edited(*names) }
  end

  def test_every_edit_has_a_known_name
    assert_empty Spate::BootEdits::TOGETHER.flatten - Spate::BootEdits::ALL.keys
  end
end
