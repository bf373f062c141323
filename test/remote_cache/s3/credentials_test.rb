# frozen_string_literal: true

require "test_helper"
require "json"
require "support/scripted_server"

# The sources of AWS credentials in order, their renewal and their errors. `asked` returns the access key that the
# bucket received, or nil for an unsigned request. The test provides STS and the metadata servers of container and
# machine.
class CredentialsTest < Minitest::Test
  RemoteCache = Spate::RemoteCache
  NAME = "cas/#{"a" * 64}".freeze
  STATIC = { "AWS_ACCESS_KEY_ID" => "FROM-ENV", "AWS_SECRET_ACCESS_KEY" => "secret" }.freeze
  ROLE = "arn:aws:iam::1:role/reader"

  def setup
    @servers = []
    @seen = Thread::Queue.new
    @bucket = server do |request|
      @seen << request.headers
      @answer&.call(request) || "bytes"
    end
  end

  def teardown
    @servers.each(&:stop)
    super
  end

  def server(&script) = ScriptedServer.new(&script).start.tap { |server| @servers << server }

  # By default HOME has no files, and the machine is not in EC2.
  def cache(env = {}, options = "")
    base = { "HOME" => folder, "AWS_EC2_METADATA_DISABLED" => "true", "AWS_ENDPOINT_URL_S3" => @bucket.url }
    RemoteCache.transport("s3://acme#{options}", env: base.merge(env))
  end

  def get(cache) = cache.get(NAME, limit: 9)

  def asked(env = {}, options = "")
    assert_equal "bytes", get(cache(env, options))
    headers = @seen.pop
    assert_equal headers.key?("authorization"), headers.key?("x-amz-content-sha256"), "unsigned, without S3 headers"
    headers["authorization"].to_s[%r{Credential=([^/]+)}, 1]
  end

  def json(id, seconds: 3600, token: "Token")
    JSON.generate("Version" => 1, "AccessKeyId" => id, "SecretAccessKey" => "secret", token => "token of #{id}",
                  "Expiration" => (Time.now + seconds).utc.strftime("%FT%TZ"))
  end

  def xml(id, seconds: 3600)
    ends = (Time.now + seconds).utc.strftime("%FT%TZ")
    "<R xmlns=\"https://sts.test/\"><Credentials><AccessKeyId>#{id}</AccessKeyId><SecretAccessKey>s</SecretAccessKey>" \
      "<SessionToken>t&amp;t</SessionToken><Expiration>#{ends}</Expiration></Credentials></R>"
  end

  def files(config: "", credentials: "")
    write(".aws/config", config)
    write(".aws/credentials", credentials)
  end

  def sts(*answers)
    @forms = Thread::Queue.new
    sts = server do |request|
      @forms << [URI.decode_www_form(request.body).to_h, request.headers]
      answers.size > 1 ? answers.shift : answers.first
    end
    { "AWS_ENDPOINT_URL_STS" => sts.url }
  end

  def refused(env, message, options = "")
    error = assert_raises(RemoteCache::Unavailable) { get(cache(env, options)) }

    assert_equal :credentials, error.reason
    assert_match message, error.message
    assert_equal 0, @seen.size, "no request to the bucket"
    error
  end

  def test_no_credentials = assert_nil(asked)

  def test_the_environment
    assert_equal "FROM-ENV", asked(STATIC)
    get(cache(STATIC.merge("AWS_SESSION_TOKEN" => "token")))
    headers = @seen.pop

    assert_equal "token", headers["x-amz-security-token"]
    assert_match(/SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,/, headers["authorization"])
    refused(STATIC.slice("AWS_ACCESS_KEY_ID"), /an incomplete key/)
  end

  def test_shared_files
    files(config: <<~CONFIG, credentials: <<~CREDENTIALS)
      [default]
      aws_access_key_id = SHADOWED
      aws_secret_access_key = x

      [profile team]
      region = eu-west-1
      s3 =
        addressing_style = path
        aws_access_key_id = NESTED
    CONFIG
      # keys
      [default]
      aws_access_key_id=FROM-FILE ; mine
      aws_secret_access_key = a+b/c=
      [ team ]
      aws_access_key_id = TEAM
      aws_secret_access_key = secret
      aws_session_token = t
    CREDENTIALS

    assert_equal "FROM-FILE", asked
    assert_equal "TEAM", asked("AWS_PROFILE" => "team")
    assert_equal "FROM-ENV", asked(STATIC.merge("AWS_PROFILE" => "team"))
    assert_equal "TEAM", asked(STATIC, "?profile=team")
    get(cache("AWS_PROFILE" => "team"))
    assert_match(%r{/eu-west-1/s3/}, @seen.pop["authorization"])
    other = write("other", "[default]\naws_access_key_id = OTHER\naws_secret_access_key = x\n")
    assert_equal "OTHER", asked("AWS_SHARED_CREDENTIALS_FILE" => other, "AWS_CONFIG_FILE" => "/nonexistent")
  end

  def test_missing_profile
    error = assert_raises(RemoteCache::Unavailable) { cache("AWS_PROFILE" => "none") }
    assert_match(/names the profile none, which is not defined/, error.message)
    files(config: "[profile sso]\nsso_session = x\nsso_account_id = 1\n")
    assert_match(/export-credentials --profile sso/, refused({ "AWS_PROFILE" => "sso" }, /sign-in in a browser/).hint)
  end

  def test_a_process
    program = write("program with space", "#!/bin/sh\necho '#{json("PROCESS", token: "SessionToken")}'\n", mode: 0o755)
    files(config: "[default]\ncredential_process = \"#{program}\" --for \"a team\"\n")
    assert_equal "PROCESS", asked

    files(config: "[default]\ncredential_process = false\n")
    refused({}, /credential_process of profile default: it exited with 1/)
    files(config: "[default]\ncredential_process = echo {}\n")
    refused({}, /credential_process of profile default: it printed no credentials/)
    files(config: "[default]\ncredential_process = /nonexistent/program\n")
    refused({}, /No such file/)
  end

  def test_web_identity
    token = write("token", "a.b.c\n")
    env = { "AWS_WEB_IDENTITY_TOKEN_FILE" => token, "AWS_ROLE_ARN" => ROLE, "AWS_ROLE_SESSION_NAME" => "job-7" }

    assert_equal "WEB", asked(env.merge(sts(xml("WEB"))))
    form, headers = @forms.pop
    assert_equal({ "Action" => "AssumeRoleWithWebIdentity", "Version" => "2011-06-15", "RoleArn" => ROLE,
                   "RoleSessionName" => "job-7", "WebIdentityToken" => "a.b.c" }, form)
    assert_nil headers["authorization"]
    assert_equal "FROM-ENV", asked(env.merge(STATIC)), "the environment comes first"

    files(config: "[profile web]\nrole_arn = #{ROLE}\nweb_identity_token_file = #{token}\n")
    assert_equal "WEB2", asked({ "AWS_PROFILE" => "web" }.merge(sts(xml("WEB2"))))
    refused(env.merge(sts([400, "<Error><Code>InvalidIdentityToken</Code></Error>"])), /InvalidIdentityToken/)
  end

  def test_a_role_of_another_profile
    profiles = { "role" => "source_profile = base\nexternal_id = x1", "lost" => "", "a" => "source_profile = b",
                 "b" => "source_profile = a", "by-env" => "credential_source = Environment" }
    files(config: profiles.map { |name, rest| "[profile #{name}]\nrole_arn = #{ROLE}\n#{rest}\n" }.join,
          credentials: "[base]\naws_access_key_id = BASE\naws_secret_access_key = secret\n")

    assert_equal "ROLE", asked({ "AWS_PROFILE" => "role" }.merge(sts(xml("ROLE"))))
    form, headers = @forms.pop
    assert_equal %w[AssumeRole x1 spate], form.values_at("Action", "ExternalId", "RoleSessionName")
    assert_match(%r{Credential=BASE/\d{8}/us-east-1/sts/aws4_request}, headers["authorization"])
    assert_equal "BY-ENV", asked(STATIC.merge(sts(xml("BY-ENV"))), "?profile=by-env")
    %w[lost a].each do |name|
      refused({ "AWS_PROFILE" => name }, /assume the role of profile (lost|b), which has no credentials/)
    end
  end

  def test_a_container
    paths = Thread::Queue.new
    host = server do |request|
      paths << [request.path, request.headers["authorization"]]
      json("CONTAINER")
    end
    env = { "AWS_CONTAINER_CREDENTIALS_FULL_URI" => "#{host.url(host: "127.0.0.1")}role?x=1" }
    assert_equal "CONTAINER", asked(env.merge("AWS_CONTAINER_AUTHORIZATION_TOKEN" => "secret"))
    token = write("token", "from file\n")
    assert_equal "CONTAINER", asked(env.merge("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE" => token))
    assert_equal [["/role?x=1", "secret"], ["/role?x=1", "from file"]], Array.new(2) { paths.pop }

    ["http://metadata.test/role", "http://127.0.0.1.evil.test/", "file:///etc/passwd"].each do |address|
      refused({ "AWS_CONTAINER_CREDENTIALS_FULL_URI" => address }, /must be on this machine or use https/)
    end
  end

  def test_a_machine
    said = lambda do |request|
      case [request.verb, request.path]
      when ["PUT", "/latest/api/token"] then request.headers["x-aws-ec2-metadata-token-ttl-seconds"] ? "T" : 400
      when ["GET", "/latest/meta-data/iam/security-credentials/"] then "my role\n"
      when ["GET", "/latest/meta-data/iam/security-credentials/my%20role"]
        request.headers["x-aws-ec2-metadata-token"] == "T" ? json("MACHINE") : 401
      else 404
      end
    end
    env = { "AWS_EC2_METADATA_SERVICE_ENDPOINT" => server(&said).url(host: "127.0.0.1") }
    assert_nil asked(env)
    env["AWS_EC2_METADATA_DISABLED"] = "false"
    assert_equal "MACHINE", asked(env.merge("http_proxy" => "http://127.0.0.1:1", "no_proxy" => "localhost"))
    [404, 500, "<html>", ""].each do |answer|
      assert_nil asked(env.merge("AWS_EC2_METADATA_SERVICE_ENDPOINT" => server { answer }.url))
    end
    assert_nil asked(env.merge("AWS_EC2_METADATA_SERVICE_ENDPOINT" => "http://127.0.0.1:1"))
  end

  # On a foreign network any host may respond at this address. A key that is not a string is rejected, and the next
  # provider is used.
  def test_invalid_keys_from_a_foreign_metadata_server
    env = { "AWS_EC2_METADATA_DISABLED" => "false" }
    [["AccessKeyId", 1], ["AccessKeyId", "a\r\nX: y"], ["SecretAccessKey", ["s"]], ["Token", 3],
     ["Token", "t\r\nX: y"], ["Expiration", 4]].each do |key, value|
      said = JSON.generate({ **JSON.parse(json("STRANGER")), key => value })
      server = server { |request| request.path.end_with?("/role") ? said : "role" }
      id = %w[Token Expiration].include?(key) ? "STRANGER" : nil
      assert_equal [id], [asked(env.merge("AWS_EC2_METADATA_SERVICE_ENDPOINT" => server.url))], key
    end
    server = server { "a\r\nX: y" }
    assert_nil asked(env.merge("AWS_EC2_METADATA_SERVICE_ENDPOINT" => server.url))
  end

  # Keys are renewed before they expire, once for all threads. If that fails, the old keys are used until they expire.
  def test_keys_are_renewed
    token = write("token", "a.b.c")
    env = { "AWS_WEB_IDENTITY_TOKEN_FILE" => token, "AWS_ROLE_ARN" => ROLE }
    cache = cache(env.merge(sts(xml("FIRST", seconds: 100), xml("SECOND"), [500, ""])))
    keys = lambda do
      get(cache)
      @seen.pop["authorization"][%r{Credential=(\w+)/}, 1]
    end

    assert_equal %w[FIRST SECOND SECOND], Array.new(3) { keys.call }
    assert_equal 2, @forms.size
    cache = cache(env.merge(sts(xml("ENDING", seconds: 100), [500, ""])))
    assert_equal %w[ENDING ENDING], Array.new(2) { keys.call }
    cache = cache(env.merge(sts(xml("LATE"))))
    threads = Array.new(8) { Thread.new { get(cache) } }
    assert_equal ["bytes"], threads.map(&:value).uniq
    assert_equal 1, @forms.size
  end

  # The server decides when keys have expired.
  def test_expired_keys
    token = write("token", "a.b.c")
    ended = [400, "<Error><Code>ExpiredToken</Code></Error>"]
    @answer = ->(request) { ended if request.headers["authorization"].include?("OLD") }
    env = { "AWS_WEB_IDENTITY_TOKEN_FILE" => token, "AWS_ROLE_ARN" => ROLE }
    cache = cache(env.merge(sts(xml("OLD"), xml("NEW"))))

    assert_equal "bytes", get(cache)
    assert_equal(%w[OLD NEW], Array.new(2) { @seen.pop["authorization"][%r{Credential=(\w+)/}, 1] })
  end

  # The first thread that gets the error renews the keys. The others use the new ones.
  def test_keys_that_expired_for_many_threads_are_renewed_once
    gate = Thread::Queue.new
    @answer = lambda do |request|
      next unless request.headers["authorization"].include?("OLD")

      gate.pop
      [400, "<Error><Code>ExpiredToken</Code></Error>"]
    end
    env = { "AWS_WEB_IDENTITY_TOKEN_FILE" => write("token", "a.b.c"), "AWS_ROLE_ARN" => ROLE }
    cache = cache(env.merge(sts(xml("OLD"), xml("NEW"))))
    threads = Array.new(8) { Thread.new { get(cache) } }
    sleep 0.01 until gate.num_waiting == 8
    8.times do
      gate << true
      sleep 0.02
    end

    assert_equal ["bytes"], threads.map(&:value).uniq
    assert_equal 2, @forms.size
  end

  def test_no_secret_is_shown
    keys = RemoteCache::S3::Credentials.new("ID", "secret", "token")
    assert_equal "#<Spate::RemoteCache::S3::Credentials ID>", keys.inspect
  end

  def program(script, limit: 20) = RemoteCache::S3::Credentials::Program.output({}, ["sh", "-c", script], limit: limit)

  def test_output_of_a_program
    assert_equal "x" * 100_000, program("head -c 100000 /dev/zero | tr '\\0' x")
    assert_equal "", program("cat"), "its input is empty"
    assert_match(/it exited with 3/, assert_raises(ArgumentError) { program("echo no; exit 3") }.message)
    assert_raises(Errno::ENOENT) { RemoteCache::S3::Credentials::Program.output({}, ["/nonexistent/program"]) }
  end

  def test_program_is_killed_with_its_children_at_the_time_limit
    pids = "#{folder}/pids"
    ["sleep 1000 & echo $$ $! > #{pids}; wait", "sleep 1000 & echo $! > #{pids}",
     "exec >&-; echo $$ > #{pids}; sleep 1000"]
      .each do |script|
      error = assert_raises(ArgumentError, script) { program(script, limit: 0.5) }

      assert_equal "it did not end within 0.5 seconds", error.message
      started = File.read(pids).split.map(&:to_i)
      refute_empty started
      sleep 0.01 while started.any? { |pid| running?(pid) }
    end
  end

  # A killed process may still be a zombie.
  def running?(pid)
    File.read("/proc/#{pid}/stat")[/\) (\w)/, 1] != "Z"
  rescue SystemCallError
    false
  end

  # A chain of providers that records each search, and waits for a gate before it fails.
  SlowChain = Struct.new(:searches, :gate) do
    def find
      searches << true
      gate.pop
      raise Spate::RemoteCache::Unavailable.new(:credentials, "s3://acme", "says no")
    end
  end

  def test_threads_that_waited_share_one_slow_failure
    chain = SlowChain.new(Thread::Queue.new, Thread::Queue.new)
    cache = RemoteCache::S3::Credentials::Cache.new("s3://acme", chain)
    threads = Array.new(6) { Thread.new { assert_raises(RemoteCache::Unavailable) { cache.get } } }
    sleep 0.01 until threads.all? { |thread| thread.status == "sleep" }
    6.times { chain.gate << true }

    assert_equal ["the cache s3://acme has no credentials: says no"], threads.map { |t| t.value.message }.uniq
    assert_equal 1, chain.searches.size
    assert_raises(RemoteCache::Unavailable) { cache.get }
    assert_equal 2, chain.searches.size, "a later call searches again"
  end
end
