# frozen_string_literal: true

require "install/team/team_case"

# What an install says of a team's cache at its end, and when it sends.
class SharingTest < TeamCase
  def plain
    @source.add("plain", "1.0")
    app("here/app", gems: %w[plain], home: "here/home", SPATE_CACHE: @cache)
  end

  def test_a_key_that_is_none_is_told_each_time
    project = plain
    2.times do
      output, status = run_install(project, SPATE_CACHE_KEY: "/nowhere.pem")
      assert_equal 0, status.exitstatus, output
      assert_equal 1, output.scan(/^warning: SPATE_CACHE_KEY is neither .*; nothing is sent to the team's cache$/).size
    end
    install(project, SPATE_CACHE_KEY: "/nowhere.pem")
    assert_equal 1, warnings.size
  end

  def test_who_asks_nobody_sends_nothing
    project = plain
    install(project)
    install(project, "--local", "--rebuild", "plain", SPATE_CACHE_KEY: @key.to_pem)
    assert_empty Dir.glob("#{project.home}/**/cache-push*.log")
    output, status = run_install(project, "--local", "--push", SPATE_CACHE_KEY: @key.to_pem)
    assert_equal 2, status.exitstatus, output
  end

  def test_whose_builds_were_there_and_are_not_trusted
    native("alpha")
    first = machine("first", "alpha")
    install(first)
    push(first)
    assert_equal [%w[alpha], []], install(machine("second", "alpha", keys: ""))
    assert_includes warnings.join("\n"), "the signer with the id #{@key.id}: 2 entries"
    assert_equal [%w[alpha], []], install(machine("wrong", "alpha", keys: "ci"))
    assert_match(/\ASPATE_CACHE_KEYS is "ci"; .* builds of others are not used\z/, warnings.first)
    assert_equal [[], %w[alpha]], install(machine("third", "alpha"))
    assert_empty warnings
  end
end
