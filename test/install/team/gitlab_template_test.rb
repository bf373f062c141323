# frozen_string_literal: true

require "install/team/ci_case"
require "support/ci/pipeline"

# Runs the file of docs/rails.md, "GitLab": the second pipeline builds nothing.
class GitlabTemplateTest < CiCase
  TEMPLATE = File.read("#{CI::Machine::ROOT}/docs/rails.md", encoding: "UTF-8")[/^```yaml\n(.*?)^```$/m, 1]

  def test_second_pipeline_uses_the_cached_store
    pipeline = CI::Pipeline.new(TEMPLATE, kept: "#{folder}/kept-by-gitlab") { fresh("test") }
    first, second = Array.new(2) { pipeline.run(branch: "topic", repository: @repository)["test"] }

    assert_equal built(first), built(second)
    assert_match(/from the network/, first.said)
    assert_match(/^2 gems in .*: 2 from the store/, second.said)
  end
end
