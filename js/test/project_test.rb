# frozen_string_literal: true

require "test_helper"

class JSProjectTest < Minitest::Test
  Project = Spate::JS::Project
  LIBRARIES = %w[../lib ../../lib].map { |path| "-I#{File.expand_path(path, __dir__)}" }.freeze

  def setup
    @root = File.realpath(Dir.mktmpdir)
  end

  def teardown
    FileUtils.rm_rf(@root)
  end

  def test_a_folder_without_a_package_has_no_project
    assert_nil Project.find(@root)
    write("package-lock.json")

    assert_nil Project.find(@root), "a lockfile alone is not a project"
  end

  def test_each_lockfile_names_its_tool
    { "package-lock.json" => "npm", "npm-shrinkwrap.json" => "npm", "pnpm-lock.yaml" => "pnpm", "bun.lock" => "bun",
      "bun.lockb" => "bun", "deno.lock" => "deno" }.each do |name, tool|
      project = find({ name => "" })

      assert_equal [tool, "#{project.root}/#{name}"], [project.tool, project.lockfile], name
    end
  end

  def test_the_lockfile_identifies_the_yarn_version
    assert_equal "yarn", find({ "yarn.lock" => "# yarn lockfile v1\n" }).tool
    assert_equal "berry", find({ "yarn.lock" => "# THIS FILE IS GENERATED\n\n__metadata:\n  version: 8\n" }).tool
  end

  def test_other_files_identify_the_version_of_an_empty_yarn_lockfile
    assert_equal "yarn", find({ "yarn.lock" => "" }).tool
    assert_equal "berry", find({ "yarn.lock" => "", ".yarnrc.yml" => "" }).tool
    assert_equal "berry", find({ "yarn.lock" => "" }, '{"packageManager":"yarn@4.9.2+sha512.ab"}').tool
    assert_equal "yarn", find({ "yarn.lock" => "" }, '{"packageManager":"yarn@1.22.22"}').tool
  end

  def test_shrinkwrap_takes_precedence_over_package_lock
    assert_equal "npm-shrinkwrap.json",
                 File.basename(find({ "package-lock.json" => "", "npm-shrinkwrap.json" => "" }).lockfile)
  end

  def test_package_json_decides_between_lockfiles
    files = { "package-lock.json" => "", "pnpm-lock.yaml" => "", "yarn.lock" => "" }

    assert_equal "pnpm", find(files, '{"packageManager":"pnpm@10.1.0"}').tool
    assert_equal "npm", find(files, '{"devEngines":{"packageManager":{"name":"npm","version":"^11"}}}').tool
    assert_equal "yarn", find(files, '{"devEngines":{"packageManager":[{"x":1},{"name":"yarn"}]}}').tool
  end

  def test_several_lockfiles_without_a_declared_tool_are_an_error
    error = assert_raises(Spate::JS::SeveralLockfiles) { find({ "package-lock.json" => "", "yarn.lock" => "" }) }

    assert_match(/package-lock\.json, yarn\.lock.*does not name a package manager/, error.message)
    assert_match(/"packageManager": "npm@(\d+\.\d+\.\d+\S*|VERSION)"\z/, error.hint)
    error = assert_raises(Spate::JS::SeveralLockfiles) do
      find({ "package-lock.json" => "", "yarn.lock" => "" }, '{"packageManager":"bun@1.2.0"}')
    end

    assert_match(/names bun@1\.2\.0, which has no lockfile there/, error.message)
  end

  def test_lockfile_of_deno_is_used_only_if_it_is_the_only_one
    assert_equal "npm", find({ "package-lock.json" => "", "deno.lock" => "" }).tool
  end

  def test_a_package_without_a_lockfile_is_an_error_with_the_tools_command
    error = assert_raises(Spate::JS::NoLockfile) { find({}, '{"packageManager":"pnpm@10.1.0"}') }

    assert_match(/pnpm install --lockfile-only/, error.hint)
    assert_match(/npm install --package-lock-only/, assert_raises(Spate::JS::NoLockfile) { find({}) }.hint)
  end

  def test_a_workspace_of_npm_has_the_lockfile_of_its_members
    write("package.json", '{"workspaces":["apps/*","!apps/other"]}')
    write("package-lock.json")
    %w[apps/shop apps/other lib].each { |folder| write("#{folder}/package.json", "{}") }

    assert_equal [@root, "npm"], Project.find("#{@root}/apps/shop").then { |found| [found.root, found.tool] }
    assert_raises(Spate::JS::NoLockfile) { Project.find("#{@root}/apps/other") }
    assert_raises(Spate::JS::NoLockfile) { Project.find("#{@root}/lib") }
    assert_equal ["#{@root}/apps/shop"], Project::Workspace.members(@root)
  end

  def test_a_workspace_of_another_user_is_refused
    skip "only root gives files away" unless Process.euid.zero?
    write("package.json", '{"workspaces":["apps/*"]}')
    write("package-lock.json")
    write("apps/shop/package.json", "{}")
    File.chown(65_534, nil, "#{@root}/package.json")

    assert_match(/another user/, assert_raises(Spate::JS::LockfileError) { Project.find("#{@root}/apps/shop") }.message)
  end

  # The file has invalid JSON, so reading it would cause an error.
  def test_a_package_of_another_user_is_not_even_read
    skip "only root gives files away" unless Process.euid.zero?
    mine = "#{@root}/apps/mine"
    write("apps/mine/package.json", "{}")
    { -> { File.chown(65_534, nil, "#{@root}/package.json") } => @root, -> { File.chmod(0o1777, @root) } => @root,
      -> { link_to_own } => "#{@root}/apps" }.each do |change, culprit|
      write("package.json", "{")
      change.call
      error = assert_raises(Spate::JS::ForeignRoot) { Project.find(mine) }

      assert_includes error.message, "#{culprit}/package.json"
      assert_nil Project.find(culprit, from: mine)
      FileUtils.rm_f(["#{@root}/package.json", "#{@root}/apps/package.json"])
      File.chmod(0o755, @root)
    end
  end

  def test_a_workspace_beyond_another_users_package
    skip "only root gives files away" unless Process.euid.zero?
    write("package.json", '{"workspaces":["apps/*"]}')
    write("package-lock.json")
    write("apps/shop/package.json", "{}")
    File.chown(65_534, nil, write("apps/package.json", "{"))

    assert_equal @root, Project.find("#{@root}/apps/shop").root
    assert_nil Project.find("#{@root}/apps", from: "#{@root}/apps/shop")
  end

  # Accepted, because root may work in a project of another user, and on some file systems all files are writable by
  # everyone.
  def test_a_workspace_with_the_same_foreign_owner_as_the_folder
    skip "only root gives files away" unless Process.euid.zero?
    [->(path) { File.chown(65_534, nil, path) }, ->(path) { File.chmod(0o777, path) }].each do |change|
      paths = [write("package.json", '{"workspaces":["apps/*"]}'), write("package-lock.json"), @root,
               write("apps/shop/package.json", "{}"), "#{@root}/apps/shop"]
      paths.each(&change)

      assert_equal @root, Project.find("#{@root}/apps/shop").root
      paths.each { |path| File.chown(0, nil, path) }
    end
  end

  def test_a_workspace_of_pnpm_is_found_by_its_files
    write("package.json", "{}")
    write("pnpm-lock.yaml")
    write("pnpm-workspace.yaml", "packages:\n  - apps/**\n  - '!**/test/**'\n")
    write("apps/shop/package.json", "{}")
    write("apps/test/x/package.json", "{}")

    assert_equal [@root, "pnpm"], Project.find("#{@root}/apps/shop").then { |found| [found.root, found.tool] }
    assert_equal ["#{@root}/apps/shop"], Project::Workspace.members(@root)
  end

  def test_error_names_the_invalid_package_json
    error = assert_raises(Spate::JS::LockfileError) { find({ "bun.lock" => "", "yarn.lock" => "" }, "{") }

    assert_match(/package\.json: invalid JSON: line 1, at the end of the file\z/, error.message)
    assert_raises(Spate::JS::LockfileError) { find({ "bun.lock" => "", "yarn.lock" => "" }, "[]") }
  end

  def test_one_lockfile_is_found_without_json
    folder = write("package.json", "{}").then { File.dirname(_1) }
    write("package-lock.json", "{}")
    loaded = IO.popen([Gem.ruby, "--disable-gems", *LIBRARIES, "-e", <<~RUBY], &:read)
      require "spate"
      Spate::JS::Project.find(#{folder.dump}, {}) or abort
      puts $LOADED_FEATURES.grep(/json|psych|set\\.rb/)
    RUBY

    assert_empty loaded
  end

  private

  def link_to_own
    File.write("#{@root}/package.json", "{}")
    File.symlink("../package.json", path = "#{@root}/apps/package.json")
    File.lchown(65_534, nil, path)
  end

  # Returns the Project of a new folder with these files.
  def find(files, package = "{}")
    folder = Dir.mktmpdir(nil, @root)
    { "package.json" => package, **files }.each { |name, text| File.write("#{folder}/#{name}", text) }
    Project.find(folder, {})
  end

  def write(name, text = "")
    path = "#{@root}/#{name}"
    FileUtils.mkdir_p(File.dirname(path))
    File.write(path, text)
    path
  end
end
