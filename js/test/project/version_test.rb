# frozen_string_literal: true

require "test_helper"
require "json"
require "tmpdir"

class JSProjectVersionTest < Minitest::Test
  Version = Spate::JS::Project::Version

  def setup
    @folder = File.realpath(Dir.mktmpdir("spate-version-"))
    @env = { "PATH" => "#{@folder}/bin" }
    program("pnpm", "9.15.0")
    program("npm", "11.2.0")
    write("app/pnpm-lock.yaml")
  end

  def teardown = FileUtils.rm_rf(@folder)

  def test_version_is_read_from_the_folder_of_the_program
    assert_equal "9.15.0", Version.installed("pnpm", @env)
    assert_equal "#{@folder}/pnpm/package.json", Version.file("pnpm", @env)
    assert_nil Version.installed("pnpm", "PATH" => @folder)
  end

  # The `pnpm` that corepack installs is in a folder with corepack's package.json.
  def test_a_version_of_another_package_is_ignored
    write("pnpm/package.json", '{ "name": "corepack", "version": "0.3.0" }')

    assert_nil Version.installed("pnpm", @env)
  end

  def test_pnpm_runs_the_version_in_package_json
    assert_equal "10.4.1", of({ packageManager: "pnpm@10.4.1+sha512.abc" })
    assert_equal "11", of({ devEngines: { packageManager: { name: "pnpm", version: "11" } } })
    assert_equal "9.15.0", of({ packageManager: "yarn@4.0.0" })
    assert_equal "9.15.0", of({ devEngines: { packageManager: { name: "pnpm", version: ">=9" } } })
  end

  def test_npm_ignores_the_version_in_package_json
    File.rename("#{@folder}/app/pnpm-lock.yaml", "#{@folder}/app/package-lock.json")

    assert_equal "11.2.0", of({ packageManager: "npm@10.0.0" })
  end

  private

  def of(package)
    write("app/package.json", JSON.generate(package))
    Spate::JS::Project.find("#{@folder}/app").version(@env)
  end

  def program(name, version)
    write("#{name}/package.json", %({ "name": "#{name}", "version": "#{version}" }))
    File.chmod(0o755, write("#{name}/bin/#{name}.cjs"))
    FileUtils.mkdir_p("#{@folder}/bin")
    File.symlink("../#{name}/bin/#{name}.cjs", "#{@folder}/bin/#{name}")
  end

  def write(path, text = "")
    path = "#{@folder}/#{path}"
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end
end
