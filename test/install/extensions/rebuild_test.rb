# frozen_string_literal: true

require "install/build_case"

# When the user requests a rebuild, the next build runs again, here and in other projects.
class RebuildTest < InstallBuildCase
  BUILT = [%w[alpha], []].freeze
  REUSED = [[], %w[alpha]].freeze

  # The build writes to this file itself, so the file is not an input.
  def setup
    super
    @answer = write("answer", "1")
    extconf = "File.open('#{@answer}', 'r+') { |file| $defs << \"-DANSWER=\#{file.read}\"; file.write(' ') }"
    native("alpha", extconf: extconf, value: "ANSWER")
    @first = another("alpha")
    assert_equal BUILT, install(@first)
    File.write(@answer, "22")
  end

  def test_install_rebuild
    assert_equal REUSED, install(second = another("alpha"))
    assert_equal "1", value(second, "alpha")

    assert_equal BUILT, install(second, "--rebuild", "alpha")
    assert_equal %w[22 1], [value(second, "alpha"), value(@first, "alpha")]
    assert_equal REUSED, install(third = another("alpha"))
    assert_equal "22", value(third, "alpha")
    refute_match(/edited|differs|changed/, @first.spate!("check"), "the first project is as it was")
    assert_match(/nothing to do/, run_install(@first).first)
  end

  def test_by_full_name_and_several_at_once
    native("beta")
    project = another("alpha", "beta")
    assert_equal [%w[beta], %w[alpha]], install(project)
    assert_equal [%w[alpha beta], []], install(project, "--rebuild", "alpha-1.0", "--rebuild", "beta")
    assert_equal "22", value(project, "alpha")
  end

  def test_a_gem_that_the_bundle_does_not_have
    assert_fails(@first, 14, 'the bundle has no gem "alpah"', "did you mean alpha?", options: %w[--rebuild alpah])
    assert_match(/^hint: did you mean alpha\?$/, assert_fails(@first, 14, options: %w[--rebuild alpha-9.9]))
    assert_equal REUSED, install(another("alpha")), "nothing was forgotten"
  end

  def test_a_gem_without_an_extension
    @source.add("plain", "1.0")
    install(project = another("plain"))
    install(project, "--rebuild", "plain")
    assert_equal ["plain-1.0 has no extension to build; its files were restored"], warnings
  end

  # If a folder has a special mode, the package contains the folder itself.
  def test_a_file_where_the_package_has_a_folder
    @source.add("dirry", "1.0", files: { "extra/" => ["", 0o700], "extra/k.rb" => "1\n" })
    install(project = another("dirry"))
    FileUtils.rm_rf(extra = "#{project.bundle_root}/gems/dirry-1.0/extra")
    File.write(extra, "mine\n")
    install(project, "--rebuild", "dirry")

    assert_equal ["dirry-1.0 is not rebuilt: locally changed: extra"], warnings
    assert_equal "mine\n", File.read(extra)
  end

  # The user's copies and edits are kept. Files written by a build are not treated as edits.
  def test_edited_gem_is_not_rebuilt
    file = "#{@first.bundle_root}/gems/alpha-1.0/lib/alpha.rb"
    File.rename(write("mine", "#{File.read(file)}MINE = 1\n"), file)
    install(@first, "--rebuild", "alpha")
    assert_equal ["alpha-1.0 is not rebuilt: locally changed: lib/alpha.rb"], warnings
    assert_match(/MINE/, File.read(file))

    install(second = another("alpha"))
    second.spate!("edit", "alpha")
    file = "#{second.bundle_root}/gems/alpha-1.0/lib/alpha.rb"
    File.write(file, "MINE = 1\n", mode: "a")
    install(second, "--rebuild", "alpha")
    assert_equal ["alpha-1.0 is not rebuilt: it is being edited"], warnings
    assert_match(/MINE/, File.read(file))
  end

  def test_build_made_by_bundler
    @first.bundle("pristine", "alpha")
    assert_equal BUILT, install(@first, "--rebuild", "alpha")
  end

  def test_store_forget
    assert_equal "removed the builds of alpha-1.0\n", @first.spate!("store", "forget", "alpha")
    assert_equal BUILT, install(second = another("alpha"))
    assert_equal "22", value(second, "alpha")
    assert_equal "removed the builds of alpha-1.0\n", @first.spate!("store", "forget", "alpha-1.0")
    assert_equal BUILT, install(another("alpha"))
    assert_equal "the store has no build of al\n", @first.spate!("store", "forget", "al")
    assert_equal({ "event" => "store_forgotten", "builds" => %w[alpha-1.0] },
                 JSON.parse(@first.spate!("store", "forget", "alpha", "--json")))
    output, status = @first.spate("store", "forget")
    assert_equal [2, true], [status.exitstatus, output.include?("needs a gem")]
  end

  def test_pristine_through_spate_forgets
    assert_equal REUSED, install(second = another("alpha"))
    second.spate!("pristine", "alpha")
    assert_equal "22", value(second, "alpha")
    assert_equal BUILT, install(third = another("alpha"))
    assert_equal "22", value(third, "alpha")

    second.spate!("pristine")
    assert_equal BUILT, install(another("alpha")), "without a name: all of the bundle"
  end

  def test_a_store_that_cannot_be_written
    readonly = @first.home
    skip "needs root to mount" unless Process.euid.zero?
    assert system("mount", "--bind", "#{readonly}/spate", "#{readonly}/spate")
    (@mounts ||= []) << "#{readonly}/spate"
    assert system("mount", "-o", "remount,bind,ro", "#{readonly}/spate")

    assert_equal BUILT, install(second = another("alpha"), "--rebuild", "alpha")
    assert_equal "22", value(second, "alpha")
    assert_equal REUSED, install(third = another("alpha"))
    assert_equal "22", value(third, "alpha")
  end
end
