# frozen_string_literal: true

require "test_helper"

# The path of a test (CONTRIBUTING.md, "Testing"): below the folder of its component. Tests that a document mentions
# must exist.
class MirrorTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  TESTS = Dir.glob("{test,server/test,bytes/test,js/test}/**/*_test.rb",
                   base: ROOT) + Dir.glob("core/test/**/*_test.c", base: ROOT)
  COMPONENTS = Dir.children("#{ROOT}/lib/spate").map { |name| name.delete_suffix(".rb") }.uniq.freeze
  # Tests without a component of the library: the repository, test tools, real applications, extensions.
  OTHERS = %w[fresh full house native runner].freeze
  # "hooks_test.rb" in a text, or the end of a path.
  NAMED = %r{[\w/]+_test\.(?:rb|c)\b}
  PAGES = Dir.glob("{*.md,{docs,server,bytes,js}/**/*.md}", base: ROOT)

  def test_each_test_is_below_its_component
    components = TESTS.grep(%r{\Atest/}).group_by { |path| path[%r{\Atest/([^/]+?)(?:_test\.rb)?(?:/|\z)}, 1] }

    assert_operator components.size, :>, 15
    assert_empty components.except(*COMPONENTS, *OTHERS)
  end

  def test_each_test_that_a_document_names_is_there
    named = PAGES.flat_map do |page|
      File.read("#{ROOT}/#{page}", encoding: "UTF-8").scan(NAMED).map do |path|
        [page, path]
      end
    end

    assert_operator named.size, :>, 50
    assert_empty(named.uniq.reject { |_, path| TESTS.any? { |test| "/#{test}".end_with?("/#{path}") } })
  end
end
