# frozen_string_literal: true

require "test_helper"
require "support/npm_registry"
require "tmpdir"

# Registry::Client fetches archives unchanged, or raises an error with the reason. It sends credentials only to the
# registry for which they are configured.
class JSRegistryClientTest < Minitest::Test
  JS = Spate::JS
  Registry = Spate::Registry
  TOKEN = "t0ken-of-me"

  def setup
    @folder = Dir.mktmpdir("js-registry-")
    @home = File.join(@folder, "home").tap { |path| FileUtils.mkdir_p(path) }
    @events = []
    start
  end

  def teardown
    @registry.stop
    @other&.stop
    @client&.close
    FileUtils.rm_rf(@folder)
  end

  def test_from_name_and_version
    assert_fetches("hello", "1.0.0")
    assert_fetches("@a/b", "1.2.0-rc.1+build.7", file: "@a/b/-/b-1.2.0-rc.1.tgz")
    result = client.fetch(package("hello", "1.0.0"), to: target)

    assert_equal [@registry.archive("hello", "1.0.0").bytesize, @registry.url], result.to_a
    assert_equal 1, @registry.connections, "the connection is kept"
  end

  def test_a_registry_below_a_path
    start(path: "/npm/all/")
    assert_fetches("hello", "1.0.0")

    assert_equal "/npm/all/hello/-/hello-1.0.0.tgz", @registry.requests.last.path
  end

  def test_from_an_address
    @registry.add("else", "2.0.0")
    assert_fetches("hello", "1.0.0", archive: @registry.archive("else", "2.0.0"),
                                     resolved: "#{@registry.url}else/-/else-2.0.0.tgz?a=b")

    assert_equal "/else/-/else-2.0.0.tgz?a=b", @registry.requests.last.path
  end

  # Wrong or malicious addresses in a lockfile must not start a program or read a file.
  def test_other_addresses
    %w[git+ssh://git@h.test/a.git /etc/passwd ftp://h.test/a.tgz javascript:1 http:/x http://].each do |address|
      error = assert_raises(JS::Registry::UnsupportedAddressError, address) { fetch("hello", nil, resolved: address) }

      assert_match(/hello: .* is neither http, https nor a file of the project/, error.message)
    end
    assert_raises(JS::Registry::UnsupportedAddressError) { fetch("hello", "1.0.0", resolved: "http://h.test/a b") }
    assert_raises(JS::Registry::UnsupportedAddressError) { fetch("hello", "1.0.0", resolved: "http://h.test/\r\nX: y") }
  end

  def test_files_of_the_project
    File.binwrite("#{@folder}/a.tgz", "bytes")
    wanted = package("hello", nil, resolved: "file:./a.tgz")

    assert_equal "#{@folder}/a.tgz", client.local(wanted)
    assert_nil client.local(package("hello", "1.0.0"))
    assert_equal [5, "file"], client.fetch(wanted, to: target).to_a
    assert_equal "bytes", File.binread(target)
    %w[file:../a.tgz file:/etc/passwd file:x/../../a file:].each do |address|
      assert_raises(JS::UnsafePathError, address) { fetch("hello", nil, resolved: address) }
    end
    assert_raises(JS::LockfileError) { fetch("hello", nil, resolved: "file:gone.tgz") }
    assert_empty @registry.requests
  end

  def test_a_token
    start(token: TOKEN)
    error = assert_fails(Spate::HTTP::CredentialsRequired)

    assert_equal "#{@registry.nerf_dart}:_authToken is missing in .npmrc", error.hint
    npmrc("#{@registry.nerf_dart}:_authToken=wrong-#{TOKEN}")
    error = assert_fails(Spate::HTTP::CredentialsRefused)

    assert_match(/refuses the credentials from #{@registry.nerf_dart} in npm's configuration \(401\)/, error.message)
    npmrc("#{@registry.nerf_dart}:_authToken=${MINE}")
    assert_fetches("hello", "1.0.0", env: { "MINE" => TOKEN })
    assert_fetches("hello", "1.0.0", env: { "npm_config_#{@registry.nerf_dart}:_authToken" => TOKEN })
  end

  def test_user_and_password
    start(userinfo: "me:s3cret")
    npmrc("#{@registry.nerf_dart}:username=me\n#{@registry.nerf_dart}:_password=#{["s3cret"].pack("m0")}")
    assert_fetches("hello", "1.0.0")
    npmrc("#{@registry.nerf_dart}:_auth=#{["me:s3cret"].pack("m0")}")
    assert_fetches("hello", "1.0.0")
    npmrc("")
    assert_fetches("hello", "1.0.0", resolved: "#{@registry.url(userinfo: "me:s3cret")}hello/-/hello-1.0.0.tgz")
  end

  def test_forbidden_and_missing
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    @registry.fault(/./, :status, code: 403)

    assert_match(/may not read this package: log in again/, assert_fails(Spate::HTTP::Forbidden).hint)
    npmrc("")

    assert_match(/it may need a login: #{@registry.nerf_dart}:_authToken/, assert_fails(Spate::HTTP::Forbidden).hint)
    @registry.clear_faults

    assert_match(/it may have been unpublished/, assert_fails(Spate::HTTP::Status::Missing, version: "9.9.9").hint)
  end

  # For the client, 127.0.0.1 is a different host than localhost.
  def test_a_redirect_to_another_host_takes_no_credentials
    start(token: TOKEN)
    @other = NpmRegistry.start
    @other.add("hello", "1.0.0", archive: @registry.archive("hello", "1.0.0"))
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    @registry.fault(%r{/-/}, :redirect, to: "#{@other.url(host: "127.0.0.1").chomp("/")}{path}")
    assert_fetches("hello", "1.0.0")

    assert_equal "Bearer #{TOKEN}", @registry.requests.last.headers["authorization"]
    assert_equal [nil], @other.requests.map { |request| request.headers["authorization"] }
  end

  def test_a_redirect_back_gets_no_credentials_either
    start(token: TOKEN)
    @other = NpmRegistry.start
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    @registry.fault(%r{\A/hello/-/}, :redirect, to: "#{@other.url(host: "127.0.0.1")}away/-/away-1.0.0.tgz")
    @other.fault(/./, :redirect, to: "#{@registry.url}back/-/back-1.0.0.tgz")
    assert_fails(Spate::HTTP::CredentialsRequired)

    assert_nil @registry.requests.last.headers["authorization"]
  end

  def test_redirect_on_the_same_host_keeps_credentials
    start(token: TOKEN)
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    @registry.fault(%r{\A/hello/-/}, :redirect, to: "/moved/-/moved-1.0.0.tgz", times: 1)
    @registry.add("moved", "1.0.0", archive: @registry.archive("hello", "1.0.0"))
    assert_fetches("hello", "1.0.0")
  end

  # Another port on the same host may belong to another user's program.
  def test_a_redirect_to_another_port_gets_no_credentials
    authority = GemSource::Authority.new(@folder)
    [{}, { tls: authority }].each do |options|
      start(token: TOKEN)
      @other&.stop
      @other = NpmRegistry.start(**options)
      @other.add("hello", "1.0.0", archive: @registry.archive("hello", "1.0.0"))
      npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}\ncafile=#{authority.ca_file}")
      @registry.fault(%r{/-/}, :redirect, to: "#{@other.url.chomp("/")}{path}")
      assert_fetches("hello", "1.0.0")

      assert_equal "Bearer #{TOKEN}", @registry.requests.last.headers["authorization"]
      assert_equal [nil], @other.requests.map { |request| request.headers["authorization"] }
    end
  end

  def test_a_redirect_from_https_to_http_is_refused
    authority = GemSource::Authority.new(@folder)
    start(tls: authority, token: TOKEN)
    @other = NpmRegistry.start
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}\ncafile=#{authority.ca_file}")
    ["#{@other.url}{path}", "http://localhost:#{@registry.port}{path}"].each do |target|
      @registry.clear_faults
      @registry.fault(/./, :redirect, to: target)
      error = assert_fails(Spate::HTTP::InsecureRedirect)

      assert_match(/registry in .npmrc/, error.hint)
    end
    assert_empty @other.requests
    assert_equal 2, @registry.requests.size
  end

  # A signature in an address grants access, so it is a secret.
  def test_messages_hide_signatures
    @other = NpmRegistry.start
    @other.fault(/./, :status, code: 503)
    @registry.fault(%r{/-/}, :redirect, to: "#{@other.url}a.tgz?Signature=#{TOKEN}&x=s3cret")

    assert_equal "#{@other.url}a.tgz?... returned 503 Service Unavailable", assert_fails(Spate::HTTP::Status).message
    assert_fails(Spate::HTTP::Status, resolved: "#{@registry.url}hello/-/hello-1.0.0.tgz?token=#{TOKEN}")
    refute_match(/#{TOKEN}/, package("hello", nil, resolved: "http://me:#{TOKEN}@h.test/a?b=#{TOKEN}").full_name)
  end

  def test_invalid_redirects
    @registry.fault(/./, :redirect, to: "{path}")

    assert_match(/redirects more than 5 times/, assert_fails(Spate::HTTP::TooManyRedirects).message)
    @registry.clear_faults
    @registry.fault(/./, :redirect, to: "file:///etc/passwd")
    refute_match(/Gemfile/, assert_fails(Spate::HTTP::Misdirected).hint)
  end

  # Credentials belong to one address, not to all addresses in a lockfile.
  def test_an_address_on_another_host_takes_no_credentials
    @other = NpmRegistry.start
    @other.add("hello", "1.0.0")
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    fetch("hello", "1.0.0", resolved: @other.resolved("hello", "1.0.0").sub("localhost", "127.0.0.1"))

    assert_nil @other.requests.last.headers["authorization"]
  end

  # If parsers could disagree about the host, Spate sends no request.
  def test_ambiguous_address_is_refused
    @other = NpmRegistry.start
    npmrc("#{@registry.nerf_dart}:_authToken=#{TOKEN}")
    evil = @other.url(host: "127.0.0.1").delete_prefix("http://")
    ["?", "#", "\\", "/\\", "\t"].each do |torn|
      address = "#{@registry.url.chomp("/")}#{torn}@#{evil}hello/-/hello-1.0.0.tgz"
      assert_fails(Spate::JS::LockfileError, resolved: address)
    end

    assert_empty @other.requests + @registry.requests
  end

  def test_the_registry_of_a_scope
    @other = NpmRegistry.start(token: TOKEN)
    @other.add("@a/b", "3.0.0")
    npmrc("@a:registry=#{@other.url}\n#{@other.nerf_dart}:_authToken=#{TOKEN}")
    fetch("@a/b", "3.0.0")
    assert_fetches("hello", "1.0.0")

    assert_nil @registry.requests.last.headers["authorization"]
  end

  def test_retries_a_failed_request
    @registry.fault(/./, :status, code: 503, times: 2)
    assert_fetches("hello", "1.0.0")

    assert_equal 2, @events.count { |event| event[:event] == :fetch_retry }
    @registry.fault(/./, :status, code: 503)
    npmrc("fetch-retries=1")
    @registry.forget_requests

    assert_match(/returned 503/, assert_fails(Spate::HTTP::Status::Temporary).message)
    assert_equal 2, @registry.requests.size
  end

  def test_response_ends_early
    { truncate: {}, reset: { bytes: 20 }, announce: { length: 100_000 } }.each do |kind, facts|
      @registry.fault(/./, kind, **facts)
      npmrc("fetch-retries=0\nfetch-timeout=300")
      error = assert_fails(Spate::HTTP::Error)

      assert_kind_of Spate::Util::Retriable, error, kind
      @registry.clear_faults
    end
    @registry.fault(/./, :truncate, times: 1)
    npmrc("")
    assert_fetches("hello", "1.0.0")
  end

  def test_response_stalls
    @registry.fault(/./, :stall, bytes: 10)
    npmrc("fetch-retries=0\nfetch-timeout=200")
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    error = assert_fails(Spate::HTTP::Unreachable)

    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :<, 5
    assert_match(/https-proxy, proxy and noproxy/, error.hint)
  end

  # The body is longer than announced. net/http reads only the announced length, so the rest would begin the next
  # response.
  def test_a_wrong_content_length
    @registry.fault(/./, :announce, length: 40, times: 1)
    fetch("hello", "1.0.0")

    assert_equal 40, File.size(target)
    assert_fetches("hello", "1.0.0")
  end

  def test_endless_response
    @registry.fault(/./, :endless)
    with_limit(100_000) { assert_fails(Spate::HTTP::TooLarge) }
    @registry.clear_faults
    @registry.fault(/./, :announce, length: 1 << 40)

    assert_match(/has #{1 << 40} bytes, the limit is/, assert_fails(Spate::HTTP::TooLarge).message)
  end

  def test_response_with_additional_compression
    @registry.fault(/./, :gzip)
    assert_fetches("hello", "1.0.0")
  end

  def test_decompression_bomb
    @registry.fault(/./, :garble, body: "\0" * (4 << 20))
    @registry.fault(/./, :gzip)
    with_limit(1 << 20) { assert_fails(Spate::HTTP::TooLarge) }
  end

  def test_html_page_in_place_of_an_archive
    @registry.fault(/./, :html)
    error = assert_fails(Registry::NotAnArchive)

    assert_equal "#{@registry.url} sent an HTML page (\"Sign in to the network\") instead of the package hello@1.0.0",
                 error.message
    { "{}" => "a JSON document", "" => "nothing", "hello" => "a text (\"hello\")" }.each do |body, said|
      @registry.fault(/./, :garble, body: body)

      assert_match(/ sent #{Regexp.escape(said)} instead/, assert_fails(Registry::NotAnArchive).message)
    end
  end

  def test_no_server_is_listening
    address = @registry.url
    @registry.stop
    npmrc("fetch-retries=0\nregistry=http://me:#{TOKEN}@#{address.delete_prefix("http://")}")

    assert_match(%r{\Ahttp://localhost.* cannot be reached}, assert_fails(Spate::HTTP::Unreachable).message)
  end

  def test_certificates
    authority = GemSource::Authority.new(@folder)
    start(tls: authority)

    assert_match(/cafile=FILE/, assert_fails(Spate::HTTP::Untrusted).hint)
    npmrc("cafile=#{authority.ca_file}")
    assert_fetches("hello", "1.0.0")
    npmrc("ca=#{File.read(authority.ca_file).inspect}")
    assert_fetches("hello", "1.0.0")
    npmrc("strict-ssl=false")
    assert_fetches("hello", "1.0.0")
    npmrc("")
    assert_fetches("hello", "1.0.0", env: { "NODE_EXTRA_CA_CERTS" => authority.ca_file })
    npmrc("cafile=#{@folder}/gone\nca=nonsense")
    assert_fails(Spate::HTTP::Untrusted)
  end

  # A client certificate is sent only to its registry. Connections to other registries have none.
  def test_custom_certificate
    authority = GemSource::Authority.new(@folder)
    start(tls: authority, client_certificate: true)
    pem = File.read(authority.client_file)
    npmrc("cafile=#{authority.ca_file}")
    assert_fails(Spate::HTTP::Error)
    npmrc("cafile=#{authority.ca_file}\n#{@registry.nerf_dart}:certfile=#{authority.client_file}\n" \
          "#{@registry.nerf_dart}:keyfile=#{authority.client_file}")
    assert_fetches("hello", "1.0.0")
    npmrc("cafile=#{authority.ca_file}\ncert=#{pem[/-----BEGIN CERT.*?END CERTIFICATE-----/m].inspect}\n" \
          "key=#{pem[/-----BEGIN (?:RSA )?PRIVATE.*-----/m].inspect}")
    assert_fetches("hello", "1.0.0")
    @other = GemSource::Proxy.new(hosts: { "other.gems.test" => @registry.port }).start
    assert_fails(Spate::HTTP::Error, resolved: "https://other.gems.test/hello/-/hello-1.0.0.tgz",
                                     env: { "https_proxy" => @other.url })
  end

  def test_proxies
    @other = GemSource::Proxy.new(hosts: { "npm.gems.test" => @registry.port }, userinfo: "me:secret").start
    npmrc("registry=http://npm.gems.test/\nproxy=#{@other.url}")
    assert_fetches("hello", "1.0.0")

    assert_equal ["GET http://npm.gems.test/hello/-/hello-1.0.0.tgz"], @other.requests
    npmrc("registry=http://npm.gems.test/\nproxy=#{@other.url}\nnoproxy=gems.test\nfetch-retries=0")
    assert_fails(Spate::HTTP::Unreachable)
    npmrc("registry=http://npm.gems.test/")
    assert_fetches("hello", "1.0.0", env: { "HTTP_PROXY" => @other.url })
    npmrc("registry=http://npm.gems.test/\nproxy=socks5://me:#{TOKEN}@h.test:1")

    refute_match(/#{TOKEN}/, assert_raises(Spate::Settings::InvalidValue) { fetch("hello", "1.0.0") }.message)
  end

  def test_close_aborts_requests
    @registry.fault(/./, :stall)
    asking = Thread.new { fetch("hello", "1.0.0") }
    asking.report_on_exception = false
    sleep 0.01 until @registry.requests.any?
    @client.close

    assert_raises(Spate::Util::Cancelled) { asking.value }
    assert_empty Dir.glob("#{@folder}/archive*")
  end

  def test_credentials_without_an_address_are_an_error
    npmrc("_authToken=#{TOKEN}")
    error = assert_raises(JS::Configuration::InvalidAuthError) { client }

    refute_match(/#{TOKEN}/, error.message + error.hint)
  end

  private

  def start(**options)
    @registry&.stop
    @registry = NpmRegistry.start(**options)
    @registry.add("hello", "1.0.0", files: { "index.js" => Random.new(1).bytes(50_000) })
    @registry.add("@a/b", "1.2.0-rc.1", files: { "index.js" => "1" })
    npmrc("")
  end

  def npmrc(text)
    @client&.close
    @client = nil
    File.write("#{@home}/.npmrc", "#{"registry=#{@registry.url}\n" unless text.match?(/^registry=/)}#{text}")
  end

  def client(env = {})
    @client&.close unless env.empty?
    @client = nil unless env.empty?
    @client ||= JS::Registry::Client.new(configuration: configuration(env), events: events, retry_base: 0.001)
  end

  def configuration(env)
    JS::Configuration.load(root: @folder, env: { "HOME" => @home, "PREFIX" => @home, "PATH" => "" }.merge(env))
  end

  def events = Spate::Events.new.subscribe { |event| @events << event }
  def target = "#{@folder}/archive"
  def package(name, version, **more) = JS::Package.new(name: name, version: version, **more)

  def fetch(name, version, env: {}, **more) = client(env).fetch(package(name, version, **more), to: target)

  def assert_fetches(name, version, archive: nil, file: nil, **more)
    fetch(name, version, **more)

    assert_equal archive || @registry.archive(name, version.sub(/\+.*/, "")), File.binread(target)
    assert_equal ["archive"], Dir.children(@folder).grep(/archive/)
    assert_equal "/#{file}", @registry.requests.last.path if file
  end

  # Asserts an error that does not contain the token, and that no file is left. Returns the error.
  def assert_fails(error, version: "1.0.0", **more)
    FileUtils.rm_f(target)
    raised = assert_raises(error) { fetch("hello", version, **more) }

    assert_empty Dir.children(@folder).grep(/archive/)
    refute_match(/#{TOKEN}|s3cret|#{[TOKEN].pack("m0")}/, "#{raised.full_message}#{raised.hint}#{@events}")
    raised
  end

  def with_limit(bytes)
    download = client.instance_variable_get(:@download)
    download.instance_variable_set(:@limit, bytes)
    yield
  end
end
