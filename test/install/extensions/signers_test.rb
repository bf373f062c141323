# frozen_string_literal: true

require "test_helper"

# Who signed what is in a folder of extensions, by the file that says so there.
class SignersTest < Minitest::Test
  Signers = Spate::Install::Extensions::Signers

  def test_what_was_noted
    assert_empty Signers.of(folder)
    Signers.note("#{folder}/made", [["a1", 17], ["b2", 19]])
    assert_equal [["a1", 17], ["b2", 19]], Signers.of("#{folder}/made")
    Signers.note("#{folder}/made", [])
    assert_empty Signers.of("#{folder}/made")
  end

  # Somebody, whom nobody trusts.
  def test_a_damaged_one
    ["", "\n", "\xFF\xFE \xFF\n", "a1"].each do |text|
      write(Signers::FILE, text.b)
      assert_equal 1, Signers.of(folder).size, text.dump
      assert_equal 0, Signers.of(folder).first.last
    end
  end
end
