# frozen_string_literal: true

require_relative "entries"
require_relative "transport_case"
require "support/s3rver"
require "support/swift"

# Tests of the S3 transport with S3-compatible servers. Each server is started once for all tests of its class.
module BucketCase
  include TransportCase
  include TransportCase::Contract
  include TransportCase::Lists
  include CacheEntries

  # Starts the server of a class once. Returns it, or the reason why it cannot run.
  module Shared
    def server
      @server ||= begin
        home = Dir.mktmpdir("spate-s3-")
        launch(home).tap do |server|
          Minitest.after_run do
            server.stop if server.respond_to?(:stop)
            FileUtils.rm_rf(home)
          end
        end
      end
    end
  end

  def self.included(test) = test.extend(Shared)

  def setup
    @server = self.class.server
    skip @server if @server.is_a?(String)
  end

  def bucket = "acme-builds"
  def keys = self.class::KEYS

  def address(options = "", prefix: name, server: @server)
    "s3://#{bucket}/#{prefix}?endpoint=#{server.url.delete_suffix("/")}#{options}"
  end

  def by(env, address = self.address) = RemoteCache.transport(address, env: ENVIRONMENT.merge(env))
  def cache = @cache ||= by(keys)

  def test_prefix_with_special_characters
    prefix = "a b/ä+%41=&<x>\"'~!*()"
    strange = by(keys, address(prefix: prefix))
    strange.put(cas("strange"), "strange")

    assert_equal "strange", strange.get(cas("strange"), limit: 9)
    assert_equal [cas("strange")], strange.each("cas/").to_a.map(&:first)
    assert_nil cache.head(cas("strange")), "another prefix"
    assert strange.delete(cas("strange"))
  end

  def test_wrong_keys = refuse(keys.merge("AWS_ACCESS_KEY_ID" => "unknown"))

  def refuse(keys)
    cache = by(keys)
    assert_unavailable(:credentials, /returned 403/) { cache.get(cas("x"), limit: 9) }
    assert_unavailable(:credentials, /returned 403/) { cache.put(cas("x"), "x") }
    assert_unavailable(:credentials, /returned 403/) { cache.each("cas/").to_a }
  end

  def test_missing_bucket
    cache = by(keys, address.sub(bucket, "another-bucket"))
    error = assert_raises(Unavailable) { cache.get(cas("x"), limit: 9) }

    assert_match(/returned 404 NoSuchBucket|returned 403/, error.message)
  end

  def test_unnamed_entries_are_collected
    documents = %w[alpha beta].map do |what|
      cache.put(cas(what), what)
      signed = entry(key: hex(what), what: "#{what}-1.0", blob: hex(what), blob_bytes: what.bytesize)
      RemoteCache::Document.name(hex(what)).tap do |name|
        cache.put(name, RemoteCache::Document.new([signed]).encode)
      end
    end
    contents = RemoteCache::Contents.new(cache, trust: trust, store: Spate::Store.open(home: folder, env: {}))
    collect = ->(before) { contents.collect(before: before, names: %w[alpha-1.0]).to_a.first(3) }

    assert_equal [[2, 2, 0], [2, 2, 2], [1, 1, 0]], [-60, 60, 60].map { |seconds| collect.call(Time.now + seconds) }
    there = %w[ac/ cas/].flat_map { |prefix| cache.each(prefix).to_a }

    assert_equal [documents.first, cas("alpha")], there.map(&:first)
  end

  def test_requests_are_unconditional
    proxy = FaultProxy.new(@server.url).start
    cache = by(keys, address(server: proxy))
    2.times { cache.put(ac("x"), "x") }
    cache.fetch(ac("x"), to: "#{folder}/x", limit: 9)
    names = proxy.requests.flat_map { |request| request.headers.keys }

    assert_includes names, "x-amz-content-sha256"
    assert_empty names.grep(/\Aif-/)
    refute_includes proxy.requests.map { |request| request.headers["x-amz-content-sha256"] }, "UNSIGNED-PAYLOAD"
  ensure
    proxy&.stop
  end
end

# s3rver does not check digests, and writes files in place.
class S3rverTest < Minitest::Test
  include BucketCase

  KEYS = S3rver::KEYS

  def self.launch(home)
    S3rver.start(home, "acme-builds", "with.dots")
  rescue RuntimeError, Errno::ENOENT => e
    "no s3rver to be had: #{e.message.lines.first.to_s.strip}"
  end

  # Without keys, requests are not signed.
  def test_anonymous_access
    cache.put(cas("open"), "open")
    proxy = FaultProxy.new(@server.url).start
    anonymous = by({}, address(server: proxy))

    assert_equal "open", anonymous.get(cas("open"), limit: 9)
    assert_empty proxy.requests.flat_map { |request| request.headers.keys }.grep(/\A(authorization|x-amz-)/)
  ensure
    proxy&.stop
  end
end

# Swift checks every signature and each digest.
class SwiftTest < Minitest::Test
  include BucketCase
  include TransportCase::Whole

  KEYS = Swift::KEYS

  def self.launch(home)
    reason = Swift.missing and return reason
    server = Swift.new(home)
    ask(server, :put, "/acme-builds").value
    server
  end

  # Sends a signed request, since a bucket must first be created in Swift.
  def self.ask(server, verb, path, more = {})
    keys = Spate::RemoteCache::S3::Credentials.new(*KEYS.values)
    uri = URI("#{server.url}#{path}")
    digest = Digest::SHA256.hexdigest("")
    headers = Spate::RemoteCache::S3::Signature.new(keys, region: "us-east-1", service: "s3")
                                               .headers(verb, uri, { "x-amz-content-sha256" => digest }, digest: digest)
    request = Net::HTTP.const_get(verb.capitalize).new(uri.request_uri, headers.merge(more))
    request.body = "" if verb == :put
    Net::HTTP.start(uri.host, uri.port, nil) { |http| http.request(request) }
  end

  def test_inspect_has_no_secret
    assert_match(%r{\A#<Spate::RemoteCache::S3 s3://acme-builds/\S*>\z}, cache.inspect)
  end

  def test_a_wrong_secret = refuse(keys.merge("AWS_SECRET_ACCESS_KEY" => "other"))

  # As with AWS, the signed host name contains the bucket's name.
  def test_bucket_in_the_host_name
    proxy = GemSource::Proxy.new(hosts: { "acme-builds.s3.test" => URI(@server.url).port }).start
    env = keys.merge("http_proxy" => proxy.url, "AWS_ENDPOINT_URL_S3" => "http://s3.test")
    cache = by(env, "s3://acme-builds/front?path_style=0")
    cache.put(cas("front"), "front")

    assert_equal "front", by(keys, address(prefix: "front")).get(cas("front"), limit: 9)
    assert_equal [cas("front")], cache.each("cas/").to_a.map(&:first)
  ensure
    proxy&.stop
  end

  # The server stores a blob only if its content matches its name.
  def test_blob_that_does_not_match_its_name
    assert_raises(Unavailable) { cache.put(cas("one"), "two") }
    assert_nil cache.get(cas("one"), limit: 9)
  end

  # Swift rejects conditional writes. This is why Spate sends unconditional requests to S3.
  def test_server_ignores_conditions
    answer = SwiftTest.ask(@server, :put, "/acme-builds/once", "If-None-Match" => "*")

    assert_equal "501", answer.code
  end
end
