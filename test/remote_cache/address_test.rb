# frozen_string_literal: true

require "test_helper"

class RemoteCacheAddressTest < Minitest::Test
  RemoteCache = Spate::RemoteCache

  def parse(text) = RemoteCache::Address.parse(text)

  # Address => [kind, displayed address].
  def test_valid_addresses
    { "https://cache.test/spate/" => [:http, "https://cache.test/spate"],
      "HTTP://cache.test" => [:http, "http://cache.test"],
      "http://[::1]:8080/a%20b//" => [:http, "http://[::1]:8080/a%20b"],
      "https://me:p%40ss@cache.test:8443/x" => [:http, "https://cache.test:8443/x"],
      "s3://acme-builds" => [:s3, "s3://acme-builds"],
      "s3://acme.builds/ruby/3.4/?region=eu-west-1" => [:s3, "s3://acme.builds/ruby/3.4"],
      "s3://Old_Bucket/a b/%41&'" => [:s3, "s3://Old_Bucket/a b/%41&'"],
      "/mnt/cache//" => [:folder, "/mnt/cache"], "/" => [:folder, "/"],
      "file:///mnt/a%20b+c" => [:folder, "/mnt/a b+c"] }
      .each { |text, expected| assert_equal expected, [parse(text).kind, parse(text).to_s], text }
  end

  def test_its_parts
    address = parse("s3://acme/ruby/?region=eu-west-1&endpoint=http%3A%2F%2Flocalhost%3A9000&path_style=1")

    assert_equal ["acme", "ruby/"], [address.bucket, address.prefix]
    assert_equal({ "region" => "eu-west-1", "endpoint" => "http://localhost:9000", "path_style" => "1" },
                 address.options)
    assert_equal "me:p%40ss", parse("https://me:p%40ss@cache.test").userinfo
    assert_equal "", parse("s3://acme").prefix
    { "https://ci:p/wd@cache.test/x" => "ci:p/wd", "https://ci:p@ss@cache.test/x" => "ci:p@ss",
      "https://ci:12345@cache.test/x" => "ci:12345", "https://to:ken:/@cache.test/x" => "to:ken:/" }
      .each do |text, userinfo|
        assert_equal ["https://cache.test/x", userinfo], [parse(text).to_s, parse(text).userinfo]
      end
  end

  def test_invalid_addresses
    ["", "cache", "./cache", "../x", "~/cache", "ftp://cache.test", "file://host/x", "file:x", "http://", "https:///x",
     "http://cache.test/?x=1", "http://cache.test/#x", "http://cache.test/../x", "http://cache.test/a/%2E%2e/b",
     "http://cache.test:80/a@b", "http://[::1]:80/a@b",
     "http://cache.test/a b", "http://cache.test/\n", "http://cache test", "s3://", "s3:///x", "s3://a", "s3://a..b/x",
     "s3://acme/../x", "s3://acme/a//b", "s3://acme/./x", "s3://-acme/x", "s3://acme:8080/x", "s3://user@acme/x",
     "s3://acme/x\0", "s3://acme?bucket=x", "s3://acme?endpoint=ftp://x", "s3://acme?endpoint=http://u:p@x",
     "s3://acme?endpoint=http://x?y", "/mnt/a\0b", "file:///mnt/%00", "file:///mnt/%zz", "/mnt/\xff".b, "/mnt/\u202e",
     "file:///mnt/%1b[31m", "file:///%ff", "s3://acme?profile=%1b"].each do |text|
      error = assert_raises(RemoteCache::InvalidAddress, text.inspect) { parse(text) }

      assert_equal 12, error.exit_code
      refute_includes error.message, "\n"
      assert_match(%r{docs/team-cache.md}, error.hint)
    end
  end

  def test_password_is_not_shown
    ["https://me:secret@cache.test/../x", "https://me:secret@cache.test?x=1", "ftp://me:secret@x.test",
     "https://me:/secret@cache test", "https://me:s@/secret@cache.test", "https://me:1/secret@cache.test",
     "me:secret@cache.test/x", "me:@secret@cache.test", "https://me:a secret@cache.test/../x",
     "https://me:a\nsecret@cache.test", "https://me:secret\n@cache.test"].each do |text|
      refute_includes assert_raises(RemoteCache::InvalidAddress) { parse(text) }.message, "secret"
    end
  end
end
