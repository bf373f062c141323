# frozen_string_literal: true

require "test_helper"

module Spate
  class TreeTest < Minitest::Test
    EVALUATED = "# -*- encoding: utf-8 -*-\n# stub: a 1.0 ruby lib\n\nGem::Specification.new do |s|\n" \
                "  s.date = \"2026-11-01\"\n  s.summary = \"x\"\nend\n"

    def test_digest_covers_all_bytes_except_the_evaluation_date
      first = identity(EVALUATED)
      assert_equal first, identity(EVALUATED.sub("2026-11-01", "2026-11-02"))
      refute_equal first, identity(EVALUATED.sub('"x"', '"y"'))
      code = EVALUATED.lines.drop(2).join
      refute_equal identity(code), identity(code.sub("2026-11-01", "2026-11-02")), "a date in the source"
    end

    private

    def identity(gemspec)
      write("tree/a.gemspec", gemspec)
      Git::Tree.new(File.join(folder, "tree")).identity
    end
  end
end
