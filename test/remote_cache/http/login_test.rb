# frozen_string_literal: true

require "test_helper"
require "support/scripted_server"

# The error of a rejected request contains the user's name and a hint.
class LoginTest < Minitest::Test
  RemoteCache = Spate::RemoteCache
  NAME = "cas/#{"a" * 64}".freeze

  def setup
    @server = ScriptedServer.new { |request| request.path.start_with?("/forbidden") ? 403 : 401 }.start
    @port = @server.port
  end

  def teardown
    @server.stop
    super
  end

  def refused(address, env = {})
    settings = Spate::Settings.load(root: nil, env: { "HOME" => folder, **env })
    cache = RemoteCache.transport(address, env: settings.env, settings: settings)
    error = assert_raises(RemoteCache::Unavailable) { cache.get(NAME, limit: 9) }
    assert_equal :credentials, error.reason
    [error.message[/returned.*/], error.hint]
  end

  def test_refusal_names_the_user_and_a_hint
    hint = "bundle config set --global 127.0.0.1 USER:PASSWORD (any:TOKEN if the server uses tokens); " \
           "in CI set BUNDLE_127__0__0__1 to the same value"
    own = { Spate::Settings::Key.for("127.0.0.1") => "me:secret" }
    netrc = { "NETRC" => write("netrc", "machine 127.0.0.1 login it password secret", mode: 0o600) }
    { ["", {}] => "Unauthorized", ["", own] => "Unauthorized to the user me of the setting 127.0.0.1",
      ["", netrc] => "Unauthorized to the user it of netrc",
      ["ci:secret@", own] => "Unauthorized to the user ci of its address",
      ["secret@", {}] => "Unauthorized to the user of its address",
      ["secret:x-oauth-basic@", {}] => "Unauthorized to the user of its address" }.each do |(userinfo, env), words|
        assert_equal ["returned 401 #{words}", hint], refused("http://#{userinfo}127.0.0.1:#{@port}", env)
      end
    message, hint = refused("http://127.0.0.1:#{@port}/forbidden", own)
    assert_equal "returned 403 Forbidden to the user me of the setting 127.0.0.1", message
    assert_match(/their permissions/, hint)
  end

  # In the setting's name, the address has its brackets, as in Bundler.
  def test_refusal_by_an_ipv6_address
    listener = TCPServer.new("::1", 0)
    answering = Thread.new do
      client = listener.accept
      client.gets("\r\n\r\n")
      client.write("HTTP/1.1 401 No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      client.close
    end
    own = { Spate::Settings::Key.for("[::1]") => "me:secret" }
    assert_equal ["returned 401 No to the user me of the setting [::1]",
                  "bundle config set --global [::1] USER:PASSWORD (any:TOKEN if the server uses tokens)"],
                 refused("http://[::1]:#{listener.addr[1]}", own)
  rescue Errno::EADDRNOTAVAIL, Errno::EAFNOSUPPORT
    skip "no IPv6 on this machine"
  ensure
    answering&.kill&.join
    listener&.close
  end
end
