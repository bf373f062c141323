# frozen_string_literal: true

require "test_helper"
require "support/scripted_server"

class ListingTest < Minitest::Test
  S3 = Spate::RemoteCache::S3
  ONE, TWO, THREE = %w[1 2 3].map { |digit| "cas/#{digit * 64}" }

  def teardown
    @server&.stop
    super
  end

  def page(*entries, token: nil)
    more = token ? "<IsTruncated>true</IsTruncated><NextContinuationToken>#{token}</NextContinuationToken>" : ""
    "<?xml version=\"1.0\"?>\n<ListBucketResult xmlns=\"http://x.test/\">#{more}#{entries.join}</ListBucketResult>"
  end

  def entry(key, size: 7, time: "2026-11-01T02:03:04.000Z")
    "<Contents><Key>#{key}</Key><LastModified>#{time}</LastModified><ETag>&quot;x&quot;</ETag><Size>#{size}</Size>" \
      "<Owner><ID>me</ID></Owner></Contents>\n"
  end

  def listed(text, prefix = "") = S3::Listing.read(text, "s3://acme").to_enum(:each, prefix).to_a

  def test_entries
    assert_equal [[ONE, 7, Time.utc(2026, 11, 1, 2, 3, 4)], [TWO, 8, Time.utc(2026, 11, 1, 2, 3, 4)]],
                 listed(page(entry(ONE), entry(TWO, size: 8)))
    assert_empty listed(page)
  end

  # Keys of other programs in the bucket, and malformed keys.
  def test_only_names_of_a_cache_are_listed
    others = ["x/#{ONE}", "cas/../../etc", "#{ONE}/", "#{ONE}.part", "&lt;Key&gt;", ONE.upcase, "", "&#xD800;",
              "&#x110000;"]

    assert_equal [TWO], listed(page(*others.map { |key| entry(key) }, entry(TWO))).map(&:first)
    assert_equal [TWO], listed(page(entry("a&amp;b/ä/#{TWO}"), entry(ONE)), "a&b/ä/").map(&:first)
    ["yesterday", "&#xDFFF;"].each do |time|
      assert_in_delta Time.now.to_f, listed(page(entry(ONE, time: time))).first.last.to_f, 60
    end
  end

  def test_invalid_list
    ["", "<html></html>", page(entry(ONE))[0..-20]].each do |text|
      error = assert_raises(Spate::RemoteCache::Unavailable) { S3::Listing.read(text, "s3://acme") }
      assert_equal :answer, error.reason
    end
  end

  # Older servers have a different kind of pagination. Without a token the cache seems to have no further names.
  def test_truncated_list_without_a_continuation_token
    text = page(entry(ONE), token: "x")
    ["", "<NextContinuationToken></NextContinuationToken>", "<NextMarker>#{ONE}</NextMarker>"].each do |other|
      cut = text.sub(%r{<NextC.*/NextC\w+>}, other)
      error = assert_raises(Spate::RemoteCache::Unavailable, cut) { S3::Listing.read(cut, "s3://acme") }
      assert_match(/sent a truncated list/, error.message)
    end
  end

  # A search for the end of each entity would take quadratic time.
  def test_half_a_million_unterminated_entities
    assert_equal [ONE], listed("#{page(entry(ONE))}#{"<Contents>" * 500_000}").map(&:first)
  end

  def test_page_after_page
    pages = { nil => page(entry(ONE), token: "a+b/=&amp;"), "a+b/=&" => page(entry(TWO), token: "c"),
              "c" => page(entry(THREE)) }
    @server = ScriptedServer.new do |request|
      pages.fetch(URI.decode_www_form(request.path[/\?(.*)/, 1]).to_h["continuation-token"])
    end
    cache = Spate::RemoteCache.transport("s3://acme?endpoint=#{@server.start.url}",
                                         env: { "AWS_EC2_METADATA_DISABLED" => "true" })

    assert_equal [ONE, TWO, THREE], cache.each("cas/").to_a.map(&:first)
    assert_includes @server.requests.first.path, "list-type=2&prefix=cas%2F"
  end
end
