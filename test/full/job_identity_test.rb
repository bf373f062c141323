# frozen_string_literal: true

require "install/team/ci_case"
require "support/ci/pipeline"
require "support/ci/workflow"
require "support/s3rver"
require "support/scripted_server"

# docs/team-cache-ci.md, "With a bucket": jobs that prove their identity. The bucket is s3rver. The test provides the
# servers that issue identity tokens and keys.
class JobIdentityTest < CiCase
  ROLE = "arn:aws:iam::123456789012:role/spate-builds"
  MAIN = "main for sts.amazonaws.com"

  def setup
    super
    @repository = repository("alone", "alpha")
    @bucket = S3rver.start(folder, "acme-builds")
    @asked = Thread::Queue.new
    @services = { identity: method(:identity), sts: method(:keys) }
                .transform_values { |script| ScriptedServer.new { |request| script.call(request) }.start }
  rescue RuntimeError, Errno::ENOENT => e
    skip "no s3rver: #{e.message.lines.first}"
  end

  def teardown
    @services&.each_value(&:stop)
    @bucket&.stop
    super
  end

  # Responds like GitHub with the workflow's identity token, if the request has the right bearer token.
  def identity(request)
    return 401 unless request.headers["authorization"] == "bearer of-the-job"

    JSON.generate(value: MAIN) if request.path == "/token?api-version=2&audience=sts.amazonaws.com"
  end

  # Responds like AWS with the keys of a role that trusts main.
  def keys(request)
    form = URI.decode_www_form(request.body).to_h
    @asked << form["WebIdentityToken"]
    return 403 unless form.values_at("WebIdentityToken", "RoleArn") == [MAIN, ROLE]

    "<R><Credentials><AccessKeyId>S3RVER</AccessKeyId><SecretAccessKey>S3RVER</SecretAccessKey><SessionToken>t" \
      "</SessionToken><Expiration>#{(Time.now + 3600).utc.strftime("%FT%TZ")}</Expiration></Credentials></R>"
  end

  def recipe(number)
    first, other = recipes("yaml")[number, 2].map { |text| YAML.safe_load(text) }
    YAML.dump(merged(first, other))
  end

  def merged(one, other)
    one.merge(other) { |_, old, new| old.is_a?(Hash) && new.is_a?(Hash) ? merged(old, new) : new }
  end

  def fresh(name)
    super(name, AWS_ENDPOINT_URL_S3: @bucket.url, AWS_ENDPOINT_URL_STS: @services[:sts].url)
  end

  def sent = Dir.glob("#{folder}/s3rver/acme-builds/ruby/**/*_object").size

  def assert_main_alone_sends
    first = built(yield("main")) # a gem, its build, the build's document, a Gemfile check
    assert_equal 4, sent
    refute_empty @asked
    @asked.clear
    assert_equal first, built(yield("topic"))
    assert_equal 4, sent
    assert_empty @asked
  end

  def test_gitlab
    assert_main_alone_sends do |branch|
      pipeline = CI::Pipeline.new(recipe(2), files: { "SPATE_CACHE_KEY" => @key.to_pem }) { fresh(branch) }
      pipeline.run(branch: branch, repository: @repository).fetch("test")
    end
  end

  def test_actions
    identity = { "ACTIONS_ID_TOKEN_REQUEST_TOKEN" => "of-the-job",
                 "ACTIONS_ID_TOKEN_REQUEST_URL" => "#{@services[:identity].url}token?api-version=2" }
    environments = { "builds" => { branches: ["main"], secrets: { "SPATE_CACHE_KEY" => @key.to_pem } } }
    assert_main_alone_sends do |branch|
      workflow = CI::Workflow.new(recipe(0), environments: environments, identity: identity) do |name|
        fresh("#{branch}-#{name}")
      end
      done = workflow.run(event: branch == "main" ? "push" : "pull_request", branch: branch, repository: @repository)
      done.each_value { |job| raise job if job.is_a?(CI::Failed) }
      done["test"]
    end
  end
end
