# frozen_string_literal: true

require "install/team/ci_case"
require "install/team/recipe_scenes"
require "support/ci/workflow"

# Tests the recipe in docs/team-cache-ci.md, "GitHub Actions".
class ActionsTest < CiCase
  include RecipeScenes
  include RecipeScenes::Brief
  include RecipeScenes::Attack if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::Full if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::KeptBundle if ENV["SPATE_TEST_FULL"]

  # The secrets belong to an environment that only main can use.
  def job(branch, key: nil, writer: nil, &during)
    secrets = { "SPATE_CACHE_KEY" => key, "SPATE_CACHE_WRITER" => writer }.compact
    environments = { "builds" => { branches: ["main"], secrets: secrets } }
    workflow = CI::Workflow.new(recipes("yaml").first, environments: environments) { |name| fresh("#{branch}-#{name}") }
    done = workflow.run(event: key ? "push" : "pull_request", branch: branch, repository: @repository, &during)
    during ? done["builds"] : done["test"]
  end
end
