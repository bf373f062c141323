# frozen_string_literal: true

require "test_helper"

# The signers of builds in a folder of extensions, read from a file in it.
class SignersTest < Minitest::Test
  Signers = Spate::Install::Extensions::Signers

  def test_noted_signers
    assert_empty Signers.of(folder)
    Signers.note("#{folder}/made", [["a1", 17], ["b2", 19]])
    assert_equal [["a1", 17], ["b2", 19]], Signers.of("#{folder}/made")
    Signers.note("#{folder}/made", [])
    assert_empty Signers.of("#{folder}/made")
  end

  # A damaged file means an unknown signer, whom no project trusts.
  def test_damaged_file
    ["", "\n", "\xFF\xFE \xFF\n", "a1"].each do |text|
      write(Signers::FILE, text.b)
      assert_equal 1, Signers.of(folder).size, text.dump
      assert_equal 0, Signers.of(folder).first.last
    end
  end
end
