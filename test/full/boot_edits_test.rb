# frozen_string_literal: true

require "support/boot_matrix_case"

# Every kind of edit on its own, with each part of Spate's and with all, and once more after the rebuild.
class BootEditsFullTest < Spate::BootMatrixCase
  Spate::BootEdits::ALL.each_key do |name|
    define_method(:"test_#{name.tr(",:'", "").tr(" ", "_")}") { edited(name, again: true) }
  end
end
