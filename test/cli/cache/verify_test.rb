# frozen_string_literal: true

require "install/team/team_case"

# `spate cache verify` lists builds of untrusted signers, but does not count them as faults.
class CacheVerifyTest < TeamCase
  def test_builds_of_others_are_no_faults
    native("alpha")
    project = machine("first", "alpha", keys: "")
    install(project)
    push(project)
    output = project.spate!("cache", "verify")
    assert_match(/^ac.*: alpha-1.0: signed by #{@key.id}, which is not trusted here$/, output)
    assert_match(/, 0 faults, 2 of signers that are not trusted here$/, output)
    told = events(project.spate!("cache", "verify", "--json")).map { |event| event.values_at("event", "foreign") }
    assert_equal [["cache_foreign", nil], ["cache_foreign", nil], ["cache_verified", 2]], told
  end
end
