# frozen_string_literal: true

require "install/team/ci_case"
require "install/team/recipe_scenes"
require "support/ci/docker"

# Tests the recipe in docs/team-cache-ci.md, "Docker", on runners whose cache mounts are empty.
class DockerTest < CiCase
  include RecipeScenes
  include RecipeScenes::Brief
  include RecipeScenes::Attack if ENV["SPATE_TEST_FULL"]
  include RecipeScenes::Full if ENV["SPATE_TEST_FULL"]

  # The output of an image or of its build.
  Said = Struct.new(:said)

  def setup
    super
    skip CI::Docker.lacking if CI::Docker.lacking
    @docker = CI::Docker.new("#{folder}/docker", programs: @programs)
    @docker.program(@programs)
  rescue CI::Failed => e
    skip "buildah cannot build images here: #{e.message.lines.last}"
  end

  def teardown
    @docker&.stop
    super
  end

  def job(branch, key: nil, writer: nil, &during)
    @docker.forget_mounts
    machine = fresh(branch)
    machine.check_out(@repository)
    File.write("#{machine.work}/Dockerfile", recipes("dockerfile").first)
    machine.run(commands[key ? 1 : 0], env: secrets(key, writer), &during)
    assert_empty layers_with("PRIVATE KEY", WRITER.split(":").last)
    tests
  rescue CI::Failed => e
    e
  end

  # The commands without and with secrets. Removes the option that ignores cached layers, because there are none.
  def commands = recipes("sh").first.split(/^(?=docker)/).map { |text| text.sub(" --no-cache-filter build", "") }

  def secrets(key, writer)
    user, password = writer&.split(":")
    { "SPATE_CACHE_KEY" => key,
      "SPATE_CACHE_NETRC" => user ? "machine #{HOST} login #{user} password #{password}" : "" }.compact
  end

  def layers_with(*secrets)
    @docker.layers.select { |path| secrets.any? { |secret| File.binread(path).include?(secret) } }
  end

  def tests
    said, status = @docker.run("app", "spate exec bin/rails test")
    assert_predicate status, :success?, said
    Said.new(said)
  end
end
