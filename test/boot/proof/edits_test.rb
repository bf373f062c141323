# frozen_string_literal: true

require "support/boot_matrix_case"

# The boot after an edit. Independent edits are made together here, and one by one in
# test/full/boot_edits_test.rb.
class BootEditsTest < Spate::BootMatrixCase
  Spate::BootEdits::TOGETHER.each do |names|
    define_method(:"test_#{names.join(" & ").tr(",:'", "").tr(" ", "_")}") { edited(*names) }
  end

  def test_every_edit_has_a_known_name
    assert_empty Spate::BootEdits::TOGETHER.flatten - Spate::BootEdits::ALL.keys
  end
end
