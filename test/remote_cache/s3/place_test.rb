# frozen_string_literal: true

require "test_helper"
require "support/scripted_server"

# The endpoint and region of a bucket, and how a server's response corrects the region.
class PlaceTest < Minitest::Test
  RemoteCache = Spate::RemoteCache
  NAME = "cas/#{"a" * 64}".freeze
  KEYS = { "AWS_ACCESS_KEY_ID" => "ID", "AWS_SECRET_ACCESS_KEY" => "secret" }.freeze

  def teardown
    @server&.stop
    super
  end

  def place(address, env = {}, profile = {})
    RemoteCache::S3::Place.new(RemoteCache::Address.parse(address), env: env, profile: profile)
  end

  def test_endpoint_of_a_name
    { "s3://acme" => "https://acme.s3.us-east-1.amazonaws.com/cas",
      "s3://acme/ruby/3.4/?region=eu-west-1" => "https://acme.s3.eu-west-1.amazonaws.com/ruby/3.4/cas",
      "s3://ac.me/x" => "https://s3.us-east-1.amazonaws.com/ac.me/x/cas",
      "s3://Old_One" => "https://s3.us-east-1.amazonaws.com/Old_One/cas",
      "s3://acme?region=cn-north-1" => "https://acme.s3.cn-north-1.amazonaws.com.cn/cas",
      "s3://acme?endpoint=http://localhost:9000/" => "http://localhost:9000/acme/cas",
      "s3://acme?endpoint=https://s3.test&path_style=0" => "https://acme.s3.test/cas",
      "s3://acme?path_style=1" => "https://s3.us-east-1.amazonaws.com/acme/cas",
      "s3://acme/a b/ä+%?region=x1" => "https://acme.s3.x1.amazonaws.com/a%20b/%C3%A4%2B%25/cas" }
      .each { |address, expected| assert_equal expected, place(address).locate("cas").to_s, address }
    assert_equal "https://acme.s3.us-east-1.amazonaws.com/?prefix=a%2Fb%20c",
                 place("s3://acme").locate(nil, { "prefix" => "a/b c" }).to_s
  end

  # Settings of the bucket have precedence over those of the machine.
  def test_precedence_of_regions_and_endpoints
    all = { "AWS_REGION" => "r2", "AWS_DEFAULT_REGION" => "r3" }
    profile = { "region" => "r4", "endpoint_url" => "http://e4.test" }
    assert_equal("r1", place("s3://acme?region=r1", all, profile).region)
    assert_equal("r2", place("s3://acme", all, profile).region)
    assert_equal("r3", place("s3://acme", all.merge("AWS_REGION" => ""), profile).region)
    assert_equal("r4", place("s3://acme", {}, profile).region)

    endpoints = { "AWS_ENDPOINT_URL_S3" => "http://e2.test", "AWS_ENDPOINT_URL" => "http://e3.test/" }
    { ["s3://acme?endpoint=http://e1.test", endpoints] => "http://e1.test/acme/x",
      ["s3://acme", endpoints] => "http://e2.test/acme/x",
      ["s3://acme", endpoints.slice("AWS_ENDPOINT_URL")] => "http://e3.test/acme/x",
      ["s3://acme", {}] => "http://e4.test/acme/x" }
      .each { |(address, env), expected| assert_equal expected, place(address, env, profile).locate("x").to_s }
    assert_equal("http://e3.test", place("s3://acme", endpoints).service("sts"))
    assert_equal("https://sts.us-east-1.amazonaws.com", place("s3://acme").service("sts"))
  end

  # An address may be committed to a repository, so keys are sent to its endpoint only over TLS, or to this machine. A
  # setting of the user may allow more.
  def test_address_cannot_expose_keys
    sent = Thread::Queue.new
    @server = ScriptedServer.new { |request| sent << request.headers["authorization"] && "bytes" }.start
    env = KEYS.merge("http_proxy" => @server.url, "AWS_EC2_METADATA_DISABLED" => "true")
    %w[http://s3.test http://localhost.s3.test http://127.0.0.1.s3.test].each do |endpoint|
      address = "s3://acme?endpoint=#{endpoint}"
      error = assert_raises(RemoteCache::Unavailable) { RemoteCache.transport(address, env: env).get(NAME, limit: 9) }

      assert_equal :credentials, error.reason
      assert_match(%r{would receive credentials at http://.*s3.test, expected https}, error.message)
      assert_match(/AWS_ENDPOINT_URL_S3/, error.hint)
      assert_equal "bytes", RemoteCache.transport(address, env: env.except(*KEYS.keys)).get(NAME, limit: 9)
      assert_nil sent.pop
    end
    own = RemoteCache.transport("s3://acme", env: env.merge("AWS_ENDPOINT_URL_S3" => "http://s3.test"))
    assert_equal "bytes", own.get(NAME, limit: 9)
    assert_match(/Credential=ID/, sent.pop)
  end

  # With the bucket's name as prefix, the host name may be resolved to any machine.
  def test_loopback_with_the_bucket_in_front_is_not_this_machine
    %w[http://127.0.0.1:9 http://localhost].each do |endpoint|
      assert_nil place("s3://acme?endpoint=#{endpoint}").take_keys!
      assert_raises(RemoteCache::Unavailable) { place("s3://acme?endpoint=#{endpoint}&path_style=0").take_keys! }
    end
    assert_raises(RemoteCache::InvalidAddress) { place("s3://acme?endpoint=http://[::1]:9&path_style=0") }
  end

  def test_invalid_regions_and_endpoints
    ["a/../b", "x.evil.test/", "a b", "x\n", "\xff", "\xff ".b, "ä ".encode("ISO-8859-1")].each do |region|
      assert_raises(RemoteCache::InvalidAddress) { place("s3://acme", { "AWS_REGION" => region }) }
    end
    ["ftp://x", "x", "http://x/?y"].each do |endpoint|
      assert_raises(RemoteCache::InvalidAddress) { place("s3://acme", { "AWS_ENDPOINT_URL" => endpoint }) }
    end
    refute place("s3://acme").moved?("evil.test/", from: "us-east-1"), "a response may not name a host"
  end

  # S3 returns the region of a bucket. This request and all later ones are signed for it.
  def test_a_bucket_in_another_region
    signed = Thread::Queue.new
    elsewhere = [301, "<Error><Code>PermanentRedirect</Code></Error>", { "x-amz-bucket-region" => "eu-west-1" }]
    cache = served do |request|
      region = request.headers["authorization"][%r{/(\w+-\w+-\d)/s3/}, 1]
      signed << region
      region == "eu-west-1" ? "bytes" : elsewhere
    end

    2.times { assert_equal "bytes", cache.get(NAME, limit: 9) }
    assert_equal %w[us-east-1 eu-west-1 eu-west-1], Array.new(signed.size) { signed.pop }
  end

  # A thread whose request for the old region is pending uses the region that another thread has learned.
  def test_concurrent_requests_learn_the_region_once
    gate = Thread::Queue.new
    cache = served do |request|
      next "bytes" if request.headers["authorization"].include?("/r2/")

      gate.pop
      [301, "", { "x-amz-bucket-region" => "r2" }]
    end
    threads = Array.new(8) { Thread.new { cache.get(NAME, limit: 9) } }
    threads.each { |thread| thread.report_on_exception = false }
    sleep 0.01 until gate.num_waiting == 8
    8.times { gate << true }

    assert_equal ["bytes"], threads.map(&:value).uniq
  end

  def test_endless_region_redirects
    regions = %w[r1 r2].cycle
    cache = served { [301, "", { "x-amz-bucket-region" => regions.next }] }

    assert_match(/returned 301/, assert_raises(RemoteCache::Unavailable) { cache.get(NAME, limit: 9) }.message)
    assert_equal 3, @server.requests.size
  end

  private

  def served(&script)
    @server = ScriptedServer.new(&script).start
    RemoteCache.transport("s3://acme?endpoint=#{@server.url}", env: KEYS)
  end
end
