# frozen_string_literal: true

require "cli/cache/cache_command_case"

# `spate cache off` disables the team cache of an application, and warns about other settings that still apply.
class CacheOffTest < CacheCommandCase
  def test_cache_can_be_disabled_for_one_application
    cache("use", "--global", place)
    cache("use", place("other"))
    assert_match(%r{remembered in .bundle/config: spate.cache off}, cache("off"))
    assert_match(/no team cache is configured/, refused(14, "status"))
    refute_match(/remembered in|removed from/, cache("off"), "once is enough")
    cache("use", place)
    assert_match(/^#{place}$/, cache("status"))
  end

  def test_off_warns_about_settings_that_still_apply
    cache("use", place)
    assert_match(/^warning: SPATE_CACHE takes precedence: #{place("y")}$/,
                 cache("off", SPATE_CACHE: place("y")))
    assert_nil remembered
    assert_match(/no cache is configured here/, cache("off"))
    assert_match(/no team cache is configured/, refused(14, "status", SPATE_CACHE: "off"))
  end
end
