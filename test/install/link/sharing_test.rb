# frozen_string_literal: true

require "install/install_case"

# The files of a bundle that share inodes with the store. Copies, files of a build and executables share none.
class SharingTest < InstallCase
  # The build creates two files with the same bytes: mkmf puts one into lib/ and one into the extension's folder.
  EXTCONF = <<~'RUBY'
    require "mkmf"
    create_makefile("native/native")
    File.write("../../lib/native/made.rb", "MADE = 1\n")
  RUBY

  def setup
    super
    @source.add("native", "1.0", native: true, files: { "ext/native/extconf.rb" => EXTCONF, "lib/native/a.rb" => "" })
    @source.add("tool", "1.0", files: { "exe/tool" => "#!/usr/bin/env ruby\nputs 1\n", "lib/tool.rb" => "TOOL = 1\n",
                                        "lib/tool/prebuilt.so" => "machine code" }, executables: %w[tool])
  end

  # If a bundle is passed on to another user, that user must not be able to change other projects' files.
  def test_copies_share_no_inode
    projects = %w[one two].map { |name| app(name, gems: %w[native tool]) }
    projects.each do |project|
      assert_installs(project, options: %w[--copy])
      assert_empty shared(project)
      assert_match(/nothing to do/, assert_installs(project, options: %w[--copy]))
    end
    assert_store_clean(projects.first)
  end

  def test_builds_and_executables_belong_to_each_bundle
    built, replayed = %w[one two].map { |name| app(name, gems: %w[native tool]) }
    [built, replayed].each do |project|
      assert_installs(project)
      assert_equal %w[lib/tool.rb], shared(project, "gems/tool-1.0")
      assert_empty shared(project, "extensions")
    end
    assert_equal %w[lib/native/a.rb], shared(replayed, "gems/native-1.0").grep(/rb\z/).grep_v(/ext/)
    assert_store_clean(built)
  end

  # Files may be edited by `strip` or `patchelf`, or by a gem that changes its own program.
  def test_stripped_files_change_in_this_bundle_only
    one, two = %w[one two].map { |name| app(name, gems: %w[native tool]).tap { |project| assert_installs(project) } }
    [one, two].map { |project| libraries(project) }.transpose.each do |mine, other|
      before = File.binread(other)
      File.open(mine, "ab") { |file| file.write("patched") }
      assert_equal before, File.binread(other)
    end
    refute_match(/warning/, assert_installs(two))
    assert_store_clean(two)
  end

  # In containers, a bundle may be given to another user, who must not be able to change files that root runs.
  def test_an_object_of_another_owner_is_not_used
    skip "only root gives files away" unless Process.euid.zero?

    one, two = %w[one two].map { |name| app(name, gems: %w[tool]).tap { |project| assert_installs(project) } }
    File.chown(65_534, 65_534, "#{one.bundle_root}/gems/tool-1.0/lib/tool.rb")
    assert_match(%r{tool-1\.0: .*lib/tool\.rb}, two.spate("check").first)

    three = app("three", gems: %w[tool])
    assert_installs(three)
    assert_equal 0, File.stat("#{three.bundle_root}/gems/tool-1.0/lib/tool.rb").uid
    assert_store_clean(three)
  end

  def test_a_store_on_another_file_system_keeps_builds
    mount("#{folder}/other", "size=64m,mode=755")
    env = { SPATE_HOME: "#{folder}/other/spate" }
    built, replayed = %w[one two].map { |name| app(name, gems: %w[native tool]) }
    output = assert_installs(built, **env)
    assert_match(/1 extension built/, output)
    refute_match(/not kept/, output)
    assert_match(/1 extension reused/, assert_installs(replayed, **env))
    assert_match(/nothing to do/, assert_installs(built, **env))
    assert_equal 0, built.spate("store", "verify", **env).last.exitstatus
  end

  private

  # Paths of files in a folder of the bundle that have other hard links.
  def shared(project, below = "")
    root = "#{project.bundle_root}/#{below}".chomp("/")
    Dir.glob("**/*", base: root).select do |path|
      stat = File.lstat("#{root}/#{path}")
      stat.file? && stat.nlink > 1
    end
  end

  def libraries(project) = Dir.glob("#{project.bundle_root}/**/*.so").sort
end
