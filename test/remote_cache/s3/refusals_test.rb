# frozen_string_literal: true

require "test_helper"
require "support/scripted_server"

# The error and hint for each status and error code of S3, and for response headers.
class RefusalsTest < Minitest::Test
  RemoteCache = Spate::RemoteCache
  NAME = "cas/#{"a" * 64}".freeze
  KEYS = { "AWS_ACCESS_KEY_ID" => "ID", "AWS_SECRET_ACCESS_KEY" => "secret" }.freeze

  def teardown
    @server&.stop
    super
  end

  def test_errors_by_status_and_code
    { [404, "NoSuchKey"] => nil, [404, ""] => nil,
      [404, "NoSuchBucket"] => [:answer, /returned 404 NoSuchBucket/, /create the bucket/],
      [403, "AccessDenied"] => [:credentials, /returned 403 AccessDenied/, /allow s3:ListBucket/],
      [403, "SignatureDoesNotMatch"] => [:credentials, /SignatureDoesNotMatch/, /keys/],
      [403, "RequestTimeTooSkewed"] => [:credentials, /RequestTimeTooSkewed/, /keys/],
      [503, "SlowDown"] => [:slow, /returned 503 SlowDown/, /./],
      [400, "&lt;a&#x62;&#99;&bad;"] => [:answer, /returned 400 <abc&bad;/, /./] }
      .each do |(status, code), (reason, message, hint)|
        @server&.stop
        cache = served { [status, "<Error><Code>#{code}</Code><Message>no</Message></Error>"] }
        next assert_nil(cache.get(NAME, limit: 9)) unless reason

        error = assert_raises(RemoteCache::Unavailable) { cache.get(NAME, limit: 9) }
        assert_equal reason, error.reason
        assert_match message, error.message
        assert_match hint, error.hint
      end
  end

  def served(&script)
    @server = ScriptedServer.new(&script).start
    RemoteCache.transport("s3://acme?endpoint=#{@server.url}", env: KEYS)
  end
end
