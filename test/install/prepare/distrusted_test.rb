# frozen_string_literal: true

require "install/build_case"
require "remote_cache/builds/carrier"

# A gem counts as installed only while the bundle trusts the signer of its build.
class DistrustedTest < InstallBuildCase
  include RemoteCarrier

  def setup
    super
    native("alpha")
    @source.add("plain", "1.0")
    install(ci = another("alpha", home: "ci"))
    carry(Spate::Build::Cache::Variants.every(ci.store), ci, project = another("alpha")) do
      RemoteCache::Pack::Places.of(layout(project), "alpha-1.0")
    end
  end

  def test_build_of_a_signer_that_is_no_longer_trusted_is_made_again
    assert_equal [[], %w[alpha]], install(project = another("alpha"), **trust)
    assert_predicate project.spate("check", **trust).last, :success?
    output, status = project.spate("check")
    assert_equal 11, status.exitstatus
    assert_match(/alpha-1.0: the signer of its build is not trusted here/, output)
    assert_includes project.spate("doctor").first, "alpha-1.0: the signer of its build is not trusted here"

    # RubyGems reads the arguments of later builds from this file, so a distrusted build may have written it.
    arguments = write("#{layout(project).build_info}/alpha-1.0.info", "--with-opt-dir=/x\n")
    assert_equal [%w[alpha], []], install(project)
    assert_equal "1", value(project, "alpha")
    refute_path_exists arguments
    assert_predicate project.spate("check").last, :success?
    assert_equal [[], []], install(project), "it stays"
    assert_equal [[], []], install(project, **trust), "and serves who trusts more"
  end

  def test_two_projects_with_one_folder
    shared = { BUNDLE_PATH: "#{folder}/shared" }
    assert_equal [[], %w[alpha]], install(another("alpha"), **shared, **trust)
    assert_equal [%w[alpha], []], install(another("alpha"), **shared)
  end

  def test_a_project_in_between_that_has_other_gems
    shared = { BUNDLE_PATH: "#{folder}/shared" }
    install(another("alpha"), **shared, **trust)
    install(another("plain"), **shared)
    assert_equal [%w[alpha], []], install(another("alpha"), **shared)
  end

  def test_a_bundle_that_was_moved
    install(project = another("alpha"), **trust)
    lib = edit(project)
    File.rename(project.folder, "#{folder}/moved")
    assert_equal [[], []], install(moved = app("moved", gems: %w[alpha]))
    assert_match(/alpha-1.0 is not rebuilt: locally changed:/, warnings.join)
    File.unlink("#{folder}/moved/#{lib.delete_prefix(project.folder)}")
    assert_equal [%w[alpha], []], install(moved)
  end

  def test_a_bundle_whose_store_has_lost_the_build
    install(project = another("alpha"), **trust)
    FileUtils.rm_rf(project.store.root)
    assert_equal [%w[alpha], []], install(project)
  end

  def test_edited_gem_stays_and_is_reported
    install(project = another("alpha"), **trust)
    edit(project)
    assert_equal [[], []], install(project)
    assert_match(/alpha-1.0 is not rebuilt: locally changed:/, warnings.join)
  end

  private

  def edit(project)
    "#{project.bundle_root}/gems/alpha-1.0/lib/mine.rb".tap { |path| File.write(path, "# mine") }
  end
end
