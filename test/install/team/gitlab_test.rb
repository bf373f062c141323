# frozen_string_literal: true

require "install/team/ci_case"
require "install/team/recipe_scenes"
require "support/ci/pipeline"

# Tests the recipe in docs/team-cache-ci.md, "GitLab".
class GitlabTest < CiCase
  include RecipeScenes
  include RecipeScenes::Attack if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::Full if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::KeptBundle if ENV["SPATE_TEST_FULL"]

  # The secrets are protected variables.
  def job(branch, key: nil, writer: nil, &during)
    files = { "SPATE_CACHE_KEY" => key }.compact
    login = { Spate::Settings::Key.for(HOST) => writer }.compact
    pipeline = CI::Pipeline.new(recipes("yaml")[2], protected: login, files: files) { fresh(branch) }
    pipeline.run(branch: branch, repository: @repository, &during).fetch("test")
  end
end
