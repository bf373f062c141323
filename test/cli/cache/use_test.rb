# frozen_string_literal: true

require "cli/cache/cache_command_case"

# `spate cache use`: what is remembered, and what one is told of it at once.
class UseCacheTest < CacheCommandCase
  # A port that nobody listens on.
  NOBODY = "127.0.0.1:9"

  def test_it_is_remembered_as_it_was_spelled
    spelled = "s3://acme/ruby?endpoint=http://#{NOBODY}&region=eu-west-1"
    output = cache("use", spelled, AWS_EC2_METADATA_DISABLED: "true")
    assert_equal spelled, remembered
    assert_match(/^warning: the cache #{Regexp.escape("s3://acme/ruby at #{NOBODY}")} cannot be reached/, output)
    assert_match(/^hint: /, output)
    cache("use", "file://#{place}/")
    assert_equal "file://#{place}/", remembered
  end

  def test_a_password_goes_where_it_is_not_committed
    output = refused(12, "use", "https://ci:secret@cache.test/x")
    refute_match(/secret/, output)
    assert_match(%r{^hint: bundle config set --global cache.test USER:PASSWORD, .* use https://cache.test/x$}, output)
    assert_nil remembered
  end

  def test_a_folder_that_is_missing_is_told_and_one_that_is_there_not
    assert_match(/^warning: the cache \S+ is not there$/, cache("use", "#{folder}/none"))
    refute_match(/warning/, cache("use", place))
    assert_includes refused(12, "use", "./share"), "hint: say #{project.folder}/share ("
  end

  def test_what_outweighs_it
    assert_includes cache("use", "--global", place), "remembered in #{project.home}/.bundle/config: spate.cache"
    assert_match(/^warning: SPATE_CACHE outweighs that, and says: #{place("y")}$/,
                 cache("use", place, SPATE_CACHE: place("y")))
    assert_match(%r{^warning: .bundle/config outweighs that, and says: #{place}$}, cache("use", "--global", place("z")))
    refute_match(/warning/, cache("use", place("z")))
  end

  def test_what_outweighs_it_is_told_without_its_password
    ["https://ci:sec ret@cache.test/x", "ci:secret@cache.test/x", "https://ci:secret@cache.test/x y"].each do |text|
      output = cache("use", place, SPATE_CACHE: text)
      assert_match(/^warning: .*SPATE_CACHE.*cache.test/, output)
      refute_match(/sec|ret@/, output)
    end
  end

  def test_an_at_sign_elsewhere_is_shown
    assert_includes refused(12, "use", "https://cache.test/a@b"), '"https://cache.test/a@b" has an @ in its path'
  end

  def test_where_nothing_can_be_remembered
    write("app/.bundle", "a file")
    output = refused(9, "use", place)
    assert_match(%r{^error: nothing can be remembered in .bundle/config$}, output)
    assert_match(/^hint: --global .* SPATE_CACHE/, output)
  end
end
