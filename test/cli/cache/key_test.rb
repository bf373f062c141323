# frozen_string_literal: true

require "cli/cache/cache_command_case"

# `spate cache trust` accepts the key that `spate cache key` prints.
class CacheKeyTest < CacheCommandCase
  SPATE = ["ruby", "--disable-gems", "-I#{File.expand_path("../../../lib", __dir__)}",
           File.expand_path("../../../exe/spate", __dir__)].freeze

  def test_key_is_printed_and_can_be_trusted
    output = cache("key", "ci")
    made = Spate::RemoteCache::Trust::PrivateKey.load(project.path("ci.pem"))
    assert_includes output, made.id
    assert_match(/do not commit it, add ci\.pem/, output)
    assert_match(/the key with the id #{made.id}$/, cache("trust", made.public_key("ci").to_s))
    assert_match(/previous key of ci is no longer trusted/, cache("trust", key.public_key("ci").to_s))
    assert_equal key.public_key("ci").to_s, remembered("spate.cache_keys")
  end

  def test_a_key_as_openssl_writes_it
    written = key.then { |made| OpenSSL::PKey.read(made.to_pem) }.public_to_pem
    cache("trust", "ci:#{written}")
    assert_equal key.public_key("ci").to_s, remembered("spate.cache_keys")
    cache("trust", "ci:#{written.lines[1].chomp}:since=2026-11-01")
    assert_equal "#{key.public_key("ci")}:since=2026-11-01", remembered("spate.cache_keys")
  end

  def test_invalid_name
    output = refused(2, "key", "our team")
    assert_match(/^error: the key's name is "our team"; .*\nhint: spate cache key our-team$/, output)
    refute_path_exists project.path("our team.pem")
    assert_match(/^hint: spate cache key ci$/, refused(2, "key", "../keys/ci"))
  end

  def test_unwritable_file
    output = refused(9, "key", "ci", "none/ci.pem")
    assert_match(%r{^error: none/ci.pem cannot be written \(ENOENT\)\nhint: name another file}, output)
  end

  def key_file = project.path("ci.pem")

  # As in `spate cache key ci > ci.pub`: the shell truncates ci.pub before the command runs.
  def test_public_key_is_printed_again
    made, again, shown = [%w[ci], %w[ci], %w[--show ci]].map do |words|
      project.run("sh", "-c", 'exec "$@" > ci.pub 2> said', "sh", *SPATE, "cache", "key", *words).then do |said, status|
        assert_predicate status, :success?, said
      end
      [File.read(project.path("ci.pub")), File.binread(key_file), File.read(project.path("said"))]
    end
    assert_match(/\Aci:\S{44}\n\z/, made.first)
    assert_equal made.first(2), again.first(2)
    assert_match(/^using the existing private key in ci\.pem; no new key/, again.last)
    assert_equal [*made.first(2), ""], shown
  end

  def test_show_makes_no_key
    assert_equal "error: ci.pem does not exist\nhint: create the key: spate cache key ci\n",
                 refused(14, "key", "--show", "ci")
    refute_path_exists key_file
  end

  def test_file_with_other_content_is_kept
    File.write(key_file, "mine\n")
    [%w[ci], %w[--show ci]].each do |words|
      assert_match(/^error: ci.pem exists but contains no readable private key; it was not changed\nhint: name /,
                   refused(9, "key", *words))
    end
    assert_equal "mine\n", File.read(key_file)
  end

  def test_invalid_keys
    output = refused(12, "trust", "ci")
    assert_match(/^error: the operand is "ci"; expected NAME:KEY/, output)
    assert_match(/^hint: spate cache key NAME creates and prints one$/, output)
  end
end
