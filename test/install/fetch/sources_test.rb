# frozen_string_literal: true

require "test_helper"

# If the configuration of the team cache is invalid, an install succeeds without it.
class SourcesTest < Minitest::Test
  def sources(**env)
    @told = []
    env = { "HOME" => folder, "SPATE_CACHE" => "s3://bucket" }.merge(env.transform_keys(&:to_s))
    events = Spate::Events.new.subscribe { |event| @told << event }
    @settings = Spate::Settings.load(root: nil, env: env)
    Spate::Install::Fetch::Sources.new(settings: @settings, store: nil, events: events) { [] }
  end

  def test_invalid_cache_configuration_disables_the_cache
    { /names the profile nope, which is not defined; the cache is not used/ => { AWS_PROFILE: "nope" },
      /"eu west" is not a valid region/ => { AWS_REGION: "eu west" },
      /"minio:9000" is not an endpoint/ => { AWS_ENDPOINT_URL: "minio:9000" },
      /"cache.test" is neither http, https, s3/ => { SPATE_CACHE: "cache.test" } }.each do |message, env|
      made = sources(**env)

      2.times { assert_nil made.team }
      made.close
      assert_equal [:warning], @told.map { |event| event[:event] }
      assert_match message, @told.first[:message]
      assert @told.first[:hint]
      assert_raises(Spate::Error) { Spate::RemoteCache.client(@settings, events: Spate::Events.new) }
    end
  end
end
