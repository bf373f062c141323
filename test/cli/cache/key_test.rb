# frozen_string_literal: true

require "cli/cache/cache_command_case"

# From `spate cache key` to `spate cache trust`: what is printed is what is taken.
class CacheKeyTest < CacheCommandCase
  def test_what_is_printed_of_a_key
    output = cache("key", "ci")
    made = Spate::RemoteCache::Trust::PrivateKey.load(project.path("ci.pem"))
    assert_includes output, made.id
    assert_match(/do not commit it .*ci\.pem/, output)
    assert_match(/id #{made.id} signs$/, cache("trust", made.public_key("ci").to_s))
    assert_match(/key that ci had before is trusted no more/, cache("trust", key.public_key("ci").to_s))
    assert_equal key.public_key("ci").to_s, remembered("spate.cache_keys")
  end

  def test_a_key_as_openssl_writes_it
    written = key.then { |made| OpenSSL::PKey.read(made.to_pem) }.public_to_pem
    cache("trust", "ci:#{written}")
    assert_equal key.public_key("ci").to_s, remembered("spate.cache_keys")
    cache("trust", "ci:#{written.lines[1].chomp}:since=2026-11-01")
    assert_equal "#{key.public_key("ci")}:since=2026-11-01", remembered("spate.cache_keys")
  end

  def test_a_name_that_is_none
    output = refused(2, "key", "our team")
    assert_match(/^error: the key's name is "our team"; .*\nhint: spate cache key our-team$/, output)
    refute_path_exists project.path("our team.pem")
    assert_match(/^hint: spate cache key ci$/, refused(2, "key", "../keys/ci"))
  end

  def test_a_file_that_cannot_be_written
    output = refused(9, "key", "ci", "none/ci.pem")
    assert_match(%r{^error: none/ci.pem cannot be written \(ENOENT\)\nhint: name another file}, output)
  end

  def test_what_is_no_key
    output = refused(12, "trust", "ci")
    assert_match(/^error: the operand is "ci"; expected NAME:KEY/, output)
    assert_match(/^hint: spate cache key NAME makes one and prints it$/, output)
  end
end
