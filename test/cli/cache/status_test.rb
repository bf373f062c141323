# frozen_string_literal: true

require "cli/cache/cache_command_case"
require "json"

# `spate cache status` prints what the cache has been used for, its last failure, and invalid keys.
class CacheStatusTest < CacheCommandCase
  def status(**env) = cache("status", SPATE_CACHE: place, **env)

  def test_status_before_the_first_query
    hint, *lines = status.lines.partition { |line| line.start_with?("hint:") }.flatten
    assert_match(/spate cache trust NAME:KEY; create a key: spate cache key NAME/, hint)
    assert_equal "#{place}\nsends nothing: SPATE_CACHE_KEY is not set\ntrusts no signer: no build is used\n" \
                 "not used yet\n", lines.join
    output = status(SPATE_CACHE_KEY: key.to_pem, SPATE_CACHE_KEYS: key.public_key("ci").to_s)
    assert_includes output, "sends, signed by the key with the id #{key.id}\ntrusts ci, whose id is #{key.id}\n"
  end

  def test_status_reports_invalid_keys
    output = status(SPATE_CACHE_KEY: "/nowhere.pem", SPATE_CACHE_KEYS: "ci")
    assert_match(/^warning: SPATE_CACHE_KEY is neither a key in PEM nor the path of a file/, output)
    assert_match(/^warning: SPATE_CACHE_KEYS is "ci"; expected NAME:KEY/, output)
    refute_match(/^sends,|^hint: whose/, output)
    facts = JSON.parse(cache("status", "--json", SPATE_CACHE: place, SPATE_CACHE_KEY: "/nowhere.pem"))
    assert_equal [false, nil, 1], [*facts.values_at("writes", "id"), facts["faults"].size]
  end

  # Failures are recorded for each server.
  def test_status_reports_the_last_failure_and_its_server
    address = ->(port) { "s3://acme/ruby?endpoint=http://127.0.0.1:#{port}" }
    name = Spate::RemoteCache.transport(address[9], env: {}).to_s
    Spate::RemoteCache::Client::Usage.new(project.store, name)
                                     .add({ installs: 1, failures: 2, reasons: {}, failure: "the cache is full" })
    assert_match(/: no hits, 0 missed, 2 failures\n  last failure: the cache is full\n/,
                 cache("status", SPATE_CACHE: address[9]))
    assert_match(/not used yet/, cache("status", SPATE_CACHE: address[10]))
  end

  def test_settings_with_invalid_bytes
    assert_match(/^warning: SPATE_CACHE_KEYS is "ci:.*; expected NAME:KEY/, status(SPATE_CACHE_KEYS: "ci:\xff"))
    assert_match(/^error: .*has an invalid character$/,
                 refused(12, "status", SPATE_CACHE: "https://cache.test/\xff"))
  end

  # The settings of a cloned application may be malicious.
  def test_control_characters_of_a_setting_are_not_printed
    hostile = "/mnt/\u202eshare"
    project.bundle("config", "set", "--local", "spate.cache", hostile)
    refute_includes refused(12, "status"), hostile
    write("app/.bundle/config", "---\nBUNDLE_SPATE__CACHE_KEYS: \"other:\e[31mred\"\n")
    output = cache("trust", key.public_key("ci").to_s)
    assert_includes output, 'spate.cache_keys other:\e[31mred ci:'
    refute_includes output, "\e"
  end
end
