# frozen_string_literal: true

require "cli/cache/cache_command_case"

# `spate cache distrust`: after a leak, a key must no longer be trusted.
class DistrustTest < CacheCommandCase
  PREFIX = Spate::RemoteCache::Trust::PublicKey::PREFIX

  def raw = key.public_key("raw").to_s
  # The key in the format of `openssl pkey -pubout`.
  def whole = "whole:#{[PREFIX + raw.split(":").last.unpack1("m")].pack("m0")}"
  def another = Spate::RemoteCache::Trust::PrivateKey.generate.public_key("other").to_s

  def test_key_is_removed_in_either_spelling
    project.bundle("config", "set", "--local", "spate.cache_keys",
                   "#{raw} #{whole}:since=2026-11-01 #{other = another}")
    assert_match(/^trusted here: other$/, cache("distrust", "raw"))
    assert_equal other, remembered("spate.cache_keys")
  end

  # A setting of the application overrides the user's.
  def test_trust_lists_the_keys_in_effect
    assert_match(/^trusted here: raw$/, cache("trust", "--global", raw))
    assert_match(/^trusted here: other$/, cache("trust", another))
    assert_match(/^trusted here: other$/, cache("trust", "--global", whole))
  end

  def test_key_that_is_trusted_elsewhere
    cache("trust", "--global", raw)
    output = refused(14, "distrust", "raw")
    assert_match(%r{^error: no trusted signer called "raw" in .bundle/config$}, output)
    assert_match(/^hint: trusted here: raw; /, output)
    output = refused(14, "distrust", "--global", "ci", SPATE_CACHE_KEYS: another)
    assert_match(/^hint: trusted here: raw, other; /, output)
    cache("distrust", "--global", "raw")
    assert_match(/^hint: spate cache trust NAME:KEY$/, refused(14, "distrust", "raw"))
  end
end
