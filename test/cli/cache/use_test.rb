# frozen_string_literal: true

require "cli/cache/cache_command_case"

# `spate cache use`: the setting that it saves, and its warnings.
class UseCacheTest < CacheCommandCase
  # A port without a listener.
  UNREACHABLE = "127.0.0.1:9"

  def test_address_is_saved_as_spelled
    spelled = "s3://acme/ruby?endpoint=http://#{UNREACHABLE}&region=eu-west-1"
    output = cache("use", spelled, AWS_EC2_METADATA_DISABLED: "true")
    assert_equal spelled, remembered
    assert_match(/^warning: the cache #{Regexp.escape("s3://acme/ruby at #{UNREACHABLE}")} cannot be reached/, output)
    assert_match(/^hint: /, output)
    cache("use", "file://#{place}/")
    assert_equal "file://#{place}/", remembered
  end

  def test_password_is_saved_outside_of_the_repository
    output = refused(12, "use", "https://ci:secret@cache.test/x")
    refute_match(/secret/, output)
    assert_match(%r{^hint: bundle config set --global cache.test USER:PASSWORD, .* use https://cache.test/x$}, output)
    assert_nil remembered
  end

  def test_missing_folder_is_reported
    assert_match(/^warning: the cache \S+ does not exist$/, cache("use", "#{folder}/none"))
    refute_match(/warning/, cache("use", place))
    assert_includes refused(12, "use", "./share"), "hint: write #{project.folder}/share ("
  end

  def test_use_warns_about_settings_with_precedence
    assert_includes cache("use", "--global", place), "remembered in #{project.home}/.bundle/config: spate.cache"
    assert_match(/^warning: SPATE_CACHE takes precedence: #{place("y")}$/,
                 cache("use", place, SPATE_CACHE: place("y")))
    assert_match(%r{^warning: .bundle/config takes precedence: #{place}$}, cache("use", "--global", place("z")))
    refute_match(/warning/, cache("use", place("z")))
  end

  def test_warning_about_precedence_hides_the_password
    ["https://ci:sec ret@cache.test/x", "ci:secret@cache.test/x", "https://ci:secret@cache.test/x y"].each do |text|
      output = cache("use", place, SPATE_CACHE: text)
      assert_match(/^warning: .*SPATE_CACHE.*cache.test/, output)
      refute_match(/sec|ret@/, output)
    end
  end

  def test_an_at_sign_elsewhere_is_shown
    assert_includes refused(12, "use", "https://cache.test/a@b"), '"https://cache.test/a@b" has an @ in its path'
  end

  def test_unwritable_settings
    write("app/.bundle", "a file")
    output = refused(9, "use", place)
    assert_match(%r{^error: cannot write the setting to .bundle/config$}, output)
    assert_match(/^hint: use --global, or SPATE_CACHE/, output)
  end
end
