# frozen_string_literal: true

require "support/boot_matrix_case"

# Makes every kind of edit alone, with each part of Spate and with all, and again after the rebuild.
class BootEditsFullTest < Spate::BootMatrixCase
  Spate::BootEdits::ALL.each_key do |name|
    define_method(:"test_#{name.tr(",:'", "").tr(" ", "_")}") { edited(name, again: true) }
  end
end
