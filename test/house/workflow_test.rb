# frozen_string_literal: true

require "test_helper"
require "yaml"

# The CI workflow runs existing programs with supported Rubies and has time limits. The issue forms are complete.
class WorkflowTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  WORKFLOW = YAML.safe_load_file("#{ROOT}/.github/workflows/ci.yml")
  JOBS = WORKFLOW.fetch("jobs")
  PROGRAM = %r{(?:^|\s)((?:bin|\.ci)/\w+)}

  def test_every_command_is_there
    commands = JOBS.values.flat_map { |job| job["steps"] }.filter_map { |step| step["run"] }

    assert_operator commands.size, :>, 10
    programs = commands.flat_map { |line| line.scan(PROGRAM).flatten }.uniq

    assert_empty(programs.reject { |path| File.exist?("#{ROOT}/#{path}") })
    assert_includes commands, "bash .ci/run"
  end

  # Without quotes, YAML reads 4.0 as a number, and 3.10 as 3.1.
  def test_the_rubies_are_texts_from_the_oldest_on
    rubies = JOBS.dig("rubies", "strategy", "matrix", "ruby")
    oldest = Gem::Specification.load("#{ROOT}/spate.gemspec").required_ruby_version

    assert(rubies.all?(String))
    assert_equal [">= #{rubies.first}"], oldest.as_list
    assert_includes rubies, "4.0"
  end

  def test_each_job_ends_by_itself
    assert_empty(JOBS.reject { |name, job| job["timeout-minutes"].to_i.between?(1, name == "full" ? 350 : 90) }.keys)
  end

  def test_the_forms_are_whole
    Dir["#{ROOT}/.github/ISSUE_TEMPLATE/*.yml"].reject { |path| path.end_with?("config.yml") }.each do |path|
      form = YAML.safe_load_file(path)

      assert_equal %w[body description labels name], form.keys.sort, path
      assert_empty(form["body"].reject { |part| part["id"] && part.dig("attributes", "label") }, path)
    end
  end
end
