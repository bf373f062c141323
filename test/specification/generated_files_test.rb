# frozen_string_literal: true

require "test_helper"

class GeneratedFilesTest < Minitest::Test
  def setup
    @generated = Spate::Specification::GeneratedFiles.new(specification: "# ü\nGem::Specification.new\n",
                                                          wrappers: { "a b" => "#!x\n" })
  end

  def test_a_text_gives_back_what_it_was_made_from
    again = Spate::Specification::GeneratedFiles.parse(@generated.to_s)

    assert_equal @generated.specification.b, again.specification
    assert_equal({ "a b" => "#!x\n" }, again.wrappers)
  end

  def test_no_part_of_a_text_is_taken_for_the_whole
    text = @generated.to_s
    whole = text.bytesize
    taken = (0...whole).select { |length| Spate::Specification::GeneratedFiles.parse(text.byteslice(0, length)) }
    # Between two sections a text is whole: only the wrapper is then missing, which the store's own checksum tells.
    assert_operator taken.size, :<=, 1
  end
end
