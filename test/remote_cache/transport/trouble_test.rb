# frozen_string_literal: true

require "remote_cache/transport_case"

# Servers that are down, slow, full, foreign or malicious. Each results in one error with a reason, and does not affect
# the next request.
class RemoteCacheTroubleTest < Minitest::Test
  include TransportCase

  OK = "HTTP/1.1 200 OK\r\n"
  BYTES = "b" * 100_000

  def setup
    @home = Dir.mktmpdir("spate-web-")
    @server = WebServers.nginx(@home) or skip "no nginx on this machine"
    @proxy = FaultProxy.new(@server.url).start
    @cache = transport(@proxy.url(userinfo: "ci:secret"), connect: 0.5, read: 0.5)
    @cache.put(cas(BYTES), BYTES)
  end

  def teardown
    @fake&.kill
    [@proxy, @server].each { |server| server&.stop }
    FileUtils.rm_rf(@home)
    super
  end

  def get(cache = @cache) = cache.get(cas(BYTES), limit: 200_000)

  # A server that responds with raw text. Each of `answers` is for one connection.
  def fake(*answers)
    listener = TCPServer.new("127.0.0.1", 0)
    @heard = Thread::Queue.new
    @fake = Thread.new do
      answers.each do |answer|
        client = listener.accept
        @heard << client.gets("\r\n\r\n")
        answer.respond_to?(:call) ? answer.call(client) : client.write(answer)
        client.close
      rescue SystemCallError
        client.close
      end
    end
    transport("http://127.0.0.1:#{listener.addr[1]}/x", connect: 0.5, read: 0.5)
  end

  def test_each_fault_has_its_reason
    { truncate: [:answer, /closed the connection after 50000 of 100000 bytes/], reset: [:refused, /reset/],
      stall: [:slow, /did not respond in time/], endless: [:answer, /sends more bytes, expected at most 200000/],
      html: [:answer, /sent an HTML page \("Sign in to the network"\)/] }.each do |kind, (reason, message)|
      @proxy.fault(%r{/cas/}, kind, times: 1, **(kind == :truncate ? {} : { bytes: 10 }))
      cache = transport(@proxy.url(userinfo: "ci:secret"), read: 0.5)
      error = assert_unavailable(reason, message) { get(cache) }

      refute_includes error.message, "secret"
      assert_equal BYTES, get(cache), kind
    end
  end

  def test_each_status_has_its_reason
    { 400 => :answer, 401 => :credentials, 403 => :credentials, 405 => :answer, 429 => :slow, 500 => :answer,
      502 => :answer, 503 => :slow, 504 => :slow }.each do |code, reason|
      @proxy.fault(%r{/cas/}, :status, code: code, times: 1)
      assert_unavailable(reason, /returned #{code}/) { get }
    end
    { 405 => :read_only, 501 => :read_only, 507 => :full, 413 => :full, 403 => :credentials, 302 => :answer }
      .each do |code, reason|
        @proxy.fault(%r{/cas/}, :status, code: code, times: 1)
        assert_unavailable(reason, /returned #{code}/) { @cache.put(cas(BYTES), BYTES) }
      end
    assert_equal BYTES, get
  end

  def test_status_410_is_missing_and_compressed_bodies_are_read
    @proxy.fault(%r{/cas/}, :status, code: 410, times: 1)
    assert_nil get
    @proxy.fault(%r{/cas/}, :gzip, times: 2)
    assert_equal BYTES, get
    assert_unavailable(:answer, /sends more bytes, expected at most 99999/) { @cache.get(cas(BYTES), limit: 99_999) }
  end

  # A web site's own error page may have any size.
  def test_long_404_page_is_a_miss
    @proxy.fault(%r{/ac/}, :status, code: 404, body: "<html>#{"x" * 1_000_000}", times: 2)
    assert_nil @cache.get(ac("none"), limit: 9)
    assert @cache.delete(ac("none"))
    assert_equal BYTES, get
  end

  def test_truncated_file_is_not_kept
    @proxy.fault(%r{/cas/}, :truncate)
    assert_unavailable(:answer) { @cache.fetch(cas(BYTES), to: "#{folder}/fetched", limit: 200_000) }
    assert_empty Dir.children(folder)
  end

  def test_a_wrong_length
    @proxy.fault(%r{/cas/}, :announce, length: 999_999_999_999, times: 1)
    assert_unavailable(:answer, /sends 999999999999 bytes, expected at most 200000/) { get }
    @proxy.fault(%r{/cas/}, :announce, length: 10, times: 1)
    assert_equal BYTES[0, 10], get, "its digest shows that it is incomplete"
    assert_equal BYTES, get, "surplus bytes are not read as a response"
  end

  def test_redirects_are_followed_without_credentials
    other = FaultProxy.new(@server.url).start
    @proxy.fault(%r{\A/cas/}, :redirect, to: "http://localhost:#{other.port}{path}")
    @proxy.forget_requests

    assert_equal BYTES, get
    assert_equal 100_000, @cache.head(cas(BYTES))
    assert_equal ["ci:secret"], @proxy.requests.map(&:userinfo).uniq
    assert_equal [nil], other.requests.map(&:userinfo).uniq
    assert_unavailable(:answer, /returned 302/) { @cache.put(cas(BYTES), BYTES) }
    assert_equal 2, other.requests.size
  ensure
    other.stop
  end

  def test_invalid_redirects
    { "/cas/round" => /redirects more than 5 times/, "file:///etc/passwd" => %r{redirects to file:///etc/passwd},
      "http://" => /redirects to/, "mailto:a@b.test" => /redirects to/ }.each do |to, message|
      @proxy.clear_faults
      @proxy.fault(%r{/cas/}, :redirect, to: to)
      assert_unavailable(:answer, message) { get }
    end
    @proxy.clear_faults
    assert_equal BYTES, get
  end

  def test_location_without_a_redirect_is_ignored
    assert_unavailable(:credentials, /returned 401/) do
      get(fake("HTTP/1.1 401 No\r\nLocation: #{@server.url}/#{cas(BYTES)}\r\nContent-Length: 0\r\n\r\n"))
    end
  end

  def test_endless_headers
    cache = fake("#{OK}#{"X: #{"a" * 50_000}\r\n" * 10}")
    assert_unavailable(:answer, /sends more than 262144 bytes of headers/) { get(cache) }
  end

  # The page arrives in pieces of any size. A server may declare anything as HTML.
  def test_a_page_in_pieces
    head = "#{OK}Content-Type: text/html\r\nContent-Length:"
    pieces = ["#{head} 20\r\n\r\n", "<", "html>Sign", " in here.."]
    slow = ->(client) { pieces.each { |piece| client.write(piece) && sleep(0.02) } }
    assert_unavailable(:answer, /sent an HTML page/) { get(fake(slow)) }
    assert_equal "\x28\xB5\x2F\xFD html".b, get(fake("#{head} 9\r\n\r\n\x28\xB5\x2F\xFD html".b))
    assert_equal "", get(fake("#{head} 0\r\n\r\n"))
    assert_equal "\1" * 99_999, get(fake("#{head} 99999\r\n\r\n#{"\1" * 99_999}"))
  end

  # A server's text is printed in the user's terminal.
  def test_server_text_is_one_short_line_without_controls
    [["HTTP/1.1 500 \e[31mred\a\r\n\r\n", /returned 500 .*red/],
     ["HTTP/1.1 302 Found\r\nLocation: file:///\e]0;title\a#{"x" * 5_000}\r\n\r\n", /redirects to/],
     ["HTTP/1.1 500 \xff\xfe\r\n\r\n".b, /returned 500/]].each do |raw, message|
      shown = assert_unavailable(:answer, message) { get(fake(raw)) }.message

      assert_operator shown.length, :<, 500
      refute_match(/[[:cntrl:]]/, shown)
      assert_predicate shown, :valid_encoding?
    end
  end

  def test_response_that_is_not_http
    assert_unavailable(:answer, /does not respond in HTTP/) { get(fake("220 mail.test ESMTP\r\n")) }
    assert_unavailable(:answer, /closed the connection/) { get(fake("")) }
  end

  def test_connection_refused
    port = ServerProgram.free_port
    error = assert_unavailable(:refused, /\Athe cache http:.*cannot be reached: .*refused/) do
      transport("http://me:secret@127.0.0.1:#{port}/x").put(cas(BYTES), BYTES)
    end
    refute_includes error.message, "secret"
  end

  # A port that accepts no connections because its queue is full, and one that accepts them and sends nothing.
  def test_server_that_does_not_respond
    listener = Socket.new(:INET, :STREAM)
    listener.bind(Addrinfo.tcp("127.0.0.1", 0))
    listener.listen(0)
    address = "http://127.0.0.1:#{listener.local_address.ip_port}"
    queue = Array.new(2) { Socket.new(:INET, :STREAM) }
    queue.each { |socket| socket.connect_nonblock(listener.local_address, exception: false) }

    assert_unavailable(:slow) { get(transport(address, connect: 0.2, read: 0.2)) }
    assert_unavailable(:slow) { get(fake(->(_) { sleep })) }
  ensure
    [listener, *queue].each(&:close)
  end

  # After a response no more bytes are sent on that connection, because the server may read them as a request.
  def test_immediate_response_saves_sending_the_body
    sent = []
    answers = ["413 No", "200 It is here"].map do |status|
      lambda do |client|
        client.write("HTTP/1.1 #{status}\r\nContent-Length: 0\r\n\r\n")
        sent << client.read
      end
    end
    cache = fake(*answers)
    assert_unavailable(:full, /returned 413/) { cache.put(cas(BYTES), BYTES) }
    assert cache.put(cas(BYTES), BYTES)
    @fake.join(5)
    assert_equal ["", ""], sent
  end

  def test_close_ends_waiting_requests
    @proxy.fault(%r{/cas/}, :stall)
    cache = transport(@proxy.url, read: 60)
    threads = Array.new(3) { Thread.new { get(cache) } }
    threads.each { |thread| thread.report_on_exception = false }
    @proxy.forget_requests
    sleep 0.01 until @proxy.requests.size == 3
    cache.close

    threads.each { |thread| assert_unavailable(:closed) { thread.value } }
  end

  # The server has closed the persistent connection. The request is sent again from its beginning.
  def test_persistent_connection_that_was_closed
    ok = "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    twice = lambda do |client|
      client.read(5)
      client.write(ok)
      @heard << client.gets("\r\n\r\n")
    end
    body = nil
    cache = fake(twice, ->(client) { (body = client.read(5)) && client.write(ok) })
    path = write("five", "12345")

    File.open(path) { |file| 2.times { assert cache.put(cas("12345"), file) } }
    assert_equal "12345", body
    assert_equal 3, @heard.size
  end

  # A client without write permission gets the error before it has sent tens of megabytes.
  def test_large_file_is_not_sent_to_a_server_that_refuses_it
    sent = nil
    cache = fake(lambda do |client|
      client.write("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno")
      sent = client.read
    end)
    assert_unavailable(:credentials) { cache.put(cas("x"), "x" * 3 * TransportCase::MIB) }
    @fake.join

    assert_equal "", sent
  end

  def test_certificates
    authority = GemSource::Authority.new(folder)
    secure = FaultProxy.new(@server.url, tls: authority).start
    error = assert_unavailable(:tls, /certificate that is not trusted/) { get(transport(secure.url)) }

    assert_match(/ssl_ca_cert/, error.hint)
    trusting = transport(secure.url, settings: { ssl_ca_cert: authority.ca_file })
    assert_equal BYTES, get(trusting)
    unreadable = transport(secure.url, settings: { ssl_ca_cert: "#{folder}/none" })
    assert_unavailable(:tls, /the setting `ssl_ca_cert`/) { get(unreadable) }
    secure.fault(%r{/cas/}, :redirect, to: @server.url)
    assert_unavailable(:answer, /redirects to/) { get(trusting) }
    error = assert_unavailable(:tls) { get(transport(@server.url.sub("http:", "https:"))) }
    assert_match(%r{begins with http://}, error.hint)
  ensure
    secure&.stop
  end

  def test_a_proxy
    asked = GemSource::Proxy.new(hosts: { "cache.test" => @server.port }, userinfo: "me:pass").start
    env = ENVIRONMENT.merge("http_proxy" => asked.url, "https_proxy" => asked.url)
    assert_equal BYTES, get(RemoteCache.transport("http://cache.test", env: env))
    closed = env.transform_values { |value| value.sub("me:pass", "me:secret") }
    assert_unavailable(:credentials, /returned 407/) { get(RemoteCache.transport("http://cache.test", env: closed)) }
    error = assert_unavailable(:refused, /through its proxy: 407/) do
      get(RemoteCache.transport("https://cache.test", env: closed))
    end
    refute_includes error.message, "secret"
  ensure
    asked&.stop
  end

  def test_user_and_password_of_settings_and_netrc
    variables = { "HOME" => folder, Spate::Settings::Key.for("127.0.0.1") => "ci:secret" }
    settings = Spate::Settings.load(root: nil, env: variables)
    assert transport(@server.url, settings: settings).put(cas("by settings"), "by settings")
    netrc = write("netrc", "machine 127.0.0.1 login ci password secret", mode: 0o600)
    by_netrc = RemoteCache.transport(@server.url, env: { "NETRC" => netrc })
    assert by_netrc.put(cas("by netrc"), "by netrc")
  end

  # Some servers ignore such headers, others reject requests with them.
  def test_requests_are_unconditional
    @cache.put(ac("x"), "x")
    assert_equal "application/octet-stream", @proxy.requests.last.headers["content-type"]
    assert_equal 1, @cache.head(ac("x"))
    @cache.delete(ac("x"))
    names = @proxy.requests.flat_map { |request| request.headers.keys }

    assert_includes names, "authorization"
    assert_empty names.grep(/\Aif-/)
  end
end
