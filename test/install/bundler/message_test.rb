# frozen_string_literal: true

require "install/install_case"

# Post-install messages of newly installed gems, compared with Bundler's.
class MessageTest < InstallCase
  def setup
    super
    @source.add("small", "1.0") { |spec| spec.post_install_message = "Hello small" }
    @ours, @theirs = %w[spate bundler].map { |tool| app(tool, gems: %w[small]) }
  end

  def test_printed_where_bundler_prints_it
    assert_same true, "install"
    assert_same false, "install"
    [@ours, @theirs].each { |project| FileUtils.rm_rf("#{project.bundle_root}/gems/small-1.0") }
    assert_same true, "install"
    [@ours, @theirs].each { |project| FileUtils.rm_rf(project.path("vendor")) }
    assert_same true, "install"
  end

  def test_not_printed_for_a_gem_that_is_installed_again
    [@ours, @theirs].each { |project| project.spate!("install") }
    refute_match(/Hello/, @theirs.bundle("pristine"))
    refute_match(/Hello/, @ours.spate!("restore", "small"))
    refute_match(/Hello/, @ours.spate!("restore", "--all"))
    refute_match(/Hello/, @ours.spate!("install", "--rebuild", "small"))
  end

  def test_ignored_by_either_setting
    %w[BUNDLE_IGNORE_MESSAGES BUNDLE_IGNORE_MESSAGES__SMALL].each do |name|
      assert_same false, "install", name => "true"
      [@ours, @theirs].each { |project| FileUtils.rm_rf(project.path("vendor")) }
    end
  end

  private

  def assert_same(printed, command, **env)
    { "Bundler" => @theirs.bundle(command, **env), "Spate" => @ours.spate!(command, **env) }.each do |tool, output|
      assert_equal printed, output.include?("Hello small"), "#{tool}: #{output}"
    end
  end
end
