# frozen_string_literal: true

require "install/build_case"

# vendor/bundle is a link to an initially empty folder that all releases share.
class LinkedRootTest < InstallBuildCase
  def setup
    super
    holding_its_folder("where", "lib/where/plain.rb" => "PLAIN = 1\n")
  end

  def release(shared)
    project = another("where")
    FileUtils.mkdir_p([project.path("vendor"), path(shared)])
    File.symlink(path(shared), project.path("vendor/bundle"))
    project
  end

  def path(name) = File.join(folder, name)
  def held(project) = project.bundle("exec", "ruby", "-e", "require 'where'; print WHERE")

  def test_first_and_later_installs_use_the_same_path
    first = release("one")
    assert_equal [%w[where], []], install(first)
    assert held(first).start_with?(File.realpath(path("one"))), held(first)
    assert_match(/nothing to do/, run_install(first).first)

    assert_equal [%w[where], []], install(other = release("two")), "a build that contains the folder of another bundle"
    FileUtils.rm_rf(path("one"))
    assert held(other).start_with?(File.realpath(path("two"))), held(other)

    edited = Dir.glob(path("two/**/plain.rb")).first
    File.write(edited, "PLAIN = 2\n")
    assert_match(/plain\.rb/, other.spate("check").first)
  end
end
