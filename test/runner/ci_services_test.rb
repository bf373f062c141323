# frozen_string_literal: true

require "test_helper"
require "support/ci/pipeline"
require "support/ci/workflow"

# The fakes of GitHub and GitLab (test/support/ci) reject every key and expression that they do not support.
class CIServicesTest < Minitest::Test
  FACTS = { "github.ref" => "refs/heads/main", "cancelled()" => false, "runner.temp" => "/tmp/1" }.freeze
  TEXTS = { "github.ref == 'refs/heads/main'" => true, "github.ref != 'x' && !cancelled()" => true,
            "${{ !cancelled() }}" => true, "secrets.NONE || 'else'" => "else", "cancelled() && 'a' || 'b'" => "b",
            "(cancelled() || github.ref == 'x') && 'a'" => false }.freeze

  def test_expressions
    assert_equal(TEXTS, TEXTS.to_h { |text, _| [text, CI::Expression.value(text, FACTS)] })
    assert_equal "/tmp/1/identity ", CI::Expression.expand("${{ runner.temp }}/identity ${{ secrets.NONE }}", FACTS)
  end

  def test_unknown_expressions
    ["github.actor", "hashFiles('x')", "1 + 1", "github.ref ==", "(cancelled()", "'a' 'b'"].each do |text|
      assert_raises(ArgumentError, text) { CI::Expression.value(text, FACTS) }
    end
  end

  def test_unknown_keys
    jobs = { "a" => { "steps" => [{ "uses" => "actions/cache@v4" }] }, "b" => { "steps" => [{ "shell" => "bash" }] },
             "c" => { "strategy" => {} }, "d" => { "if" => "github.actor == 'x'" } }
    jobs.each do |name, job|
      workflow = workflow("on" => { "push" => nil }, "jobs" => { name => job })
      assert_raises(ArgumentError, name) { workflow.run(event: "push", branch: "main", repository: folder) }
    end
    assert_raises(ArgumentError) { workflow("defaults" => {}) }
    pipeline = CI::Pipeline.new(YAML.dump("a" => { "before_script" => [] }))
    assert_raises(ArgumentError) { pipeline.run(branch: "main", repository: folder) }
  end

  def test_which_jobs_begin
    jobs = { "first" => { "if" => "github.ref == 'refs/heads/main'", "steps" => [] },
             "second" => { "needs" => "first", "steps" => [] },
             "third" => { "needs" => "first", "if" => "${{ !cancelled() }}", "steps" => [] } }
    workflow = workflow("on" => { "push" => { "branches" => ["main"] }, "pull_request" => nil }, "jobs" => jobs)
    begun = { "push main" => %w[first second third], "push topic" => [], "pull_request topic" => %w[third] }
    begun.each do |event, names|
      kind, branch = event.split
      done = workflow.run(event: kind, branch: branch, repository: folder)
      assert_equal names, done.compact.keys, event
    end
  end

  def test_secrets_of_an_environment_are_for_its_branches
    job = { "environment" => "builds", "steps" => [{ "run" => "true" }] }
    workflow = workflow("on" => { "push" => nil }, "jobs" => { "a" => job })
    begun = %w[main topic].map { |branch| workflow.run(event: "push", branch: branch, repository: folder)["a"].class }
    assert_equal [CI::Machine, CI::Failed], begun
  end

  def workflow(tree)
    environments = { "builds" => { branches: ["main"], secrets: {} } }
    CI::Workflow.new(YAML.dump(tree), environments: environments) do |name|
      CI::Machine.new("#{folder}/#{name}", programs: folder)
    end
  end
end
