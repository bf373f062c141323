# frozen_string_literal: true

require "install/team/ci_case"
require "support/ci/composite"

# Runs the steps of .github/actions/setup-spate.
class SetupActionTest < CiCase
  ACTION = File.read("#{CI::Machine::ROOT}/.github/actions/setup-spate/action.yml", encoding: "UTF-8")

  def job(inputs = {}, repository: @repository, **env)
    @machine = fresh("job")
    @machine.check_out(repository)
    @action = CI::Composite.new(ACTION, kept: "#{folder}/kept-by-github")
    env = { "BUNDLE_PATH" => "vendor/bundle", **env.transform_keys(&:to_s) }
    @action.run(@machine, inputs, env: env) { |all| @machine.run("spate exec bin/rails test", env: all) }
  end

  def test_next_job_builds_nothing
    first = built(job)
    assert_equal [[], 1], [@action.restored, @action.saved.size]
    second = built(job)

    assert_equal first, second
    assert_equal [1, []], [@action.restored.size, @action.saved]
    assert_match(/^2 gems in .*: 2 from the store/, @machine.said)
  end

  def test_changed_lockfile_uses_the_last_cache
    before, = built(job)
    extension("beta", "1.1")
    changed = repository("changed", "alpha", "beta")
    after, = built(job(repository: changed))

    assert_equal before, after
    assert_equal [1, 1], [@action.restored.size, @action.saved.size]
    refute_equal @action.restored, @action.saved
  end

  def test_without_a_cache_each_job_builds
    first = built(job({ "cache" => "false" }))

    refute_equal first, built(job({ "cache" => "false" }))
    refute_path_exists "#{folder}/kept-by-github"
  end

  # The job with the key sends; one without, and without the store, reuses the builds.
  def test_a_team_cache
    variables = { SPATE_CACHE: @address, SPATE_CACHE_KEYS: @trusted }
    login = { Spate::Settings::Key.for(HOST) => WRITER }
    inputs = { "cache-key" => @key.to_pem, "cache" => "false" }
    first = built(job(inputs, **variables, **login.transform_keys(&:to_sym)))
    refute_empty sent

    assert_equal first, built(job({ "cache" => "false" }, **variables))
  end

  def test_another_version_and_other_arguments
    error = assert_raises(CI::Failed) { job({ "version" => "9.9" }) }
    assert_includes error.message, "gem install --no-document spate --version 9.9: not here"

    error = assert_raises(CI::Failed) { job({ "arguments" => "--unknown" }) }
    assert_includes error.message, "unknown option --unknown"
  end

  def test_every_input_is_described
    inputs = YAML.safe_load(ACTION)["inputs"]

    assert_empty(inputs.reject { |_, input| input["description"] && input["default"].is_a?(String) })
  end
end
