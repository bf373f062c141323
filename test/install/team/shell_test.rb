# frozen_string_literal: true

require "install/team/ci_case"
require "install/team/recipe_scenes"

# Tests the recipe in docs/team-cache-ci.md, "A shell". The caller sets the variables.
class ShellTest < CiCase
  include RecipeScenes
  include RecipeScenes::Attack
  include RecipeScenes::Full if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::KeptBundle if ENV["SPATE_TEST_FULL"]

  def job(branch, key: nil, writer: nil, &during)
    machine = fresh(branch)
    machine.check_out(@repository)
    env = { "SPATE_CACHE_KEY" => key, Spate::Settings::Key.for(HOST) => writer }.compact
    machine.run(recipes("sh").last, shell: %w[sh], env: env, &during)
    assert_match(/^used in 1 install: \d+ archives?, \d+ builds? found .*, 0 failures$/, machine.said) unless key
    machine
  rescue CI::Failed => e
    e
  end
end
