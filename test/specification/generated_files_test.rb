# frozen_string_literal: true

require "test_helper"

class GeneratedFilesTest < Minitest::Test
  def setup
    @generated = Spate::Specification::GeneratedFiles.new(specification: "# ü\nGem::Specification.new\n",
                                                          wrappers: { "a b" => "#!x\n" })
  end

  def test_round_trip
    again = Spate::Specification::GeneratedFiles.parse(@generated.to_s)

    assert_equal @generated.specification.b, again.specification
    assert_equal({ "a b" => "#!x\n" }, again.wrappers)
  end

  def test_truncated_text_is_refused
    text = @generated.to_s
    whole = text.bytesize
    taken = (0...whole).select { |length| Spate::Specification::GeneratedFiles.parse(text.byteslice(0, length)) }
    # A text that is truncated between two sections is valid. Only an executable is missing, which the store's checksum
    # detects.
    assert_operator taken.size, :<=, 1
  end
end
