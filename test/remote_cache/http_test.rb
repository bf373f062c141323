# frozen_string_literal: true

require_relative "transport_case"
require "support/scripted_server"

# Common HTTP servers with the documented configuration.
module WebServerCase
  include TransportCase
  include TransportCase::Contract
  include TransportCase::Whole

  def setup
    @home = Dir.mktmpdir("spate-web-")
    @server = start or skip "no #{self.class.name[/[A-Z][a-z]+/].downcase} on this machine"
  end

  def teardown
    @server&.stop
    FileUtils.rm_rf(@home)
    super
  end

  def writer = "ci:secret@"
  def address(user = writer) = "http://#{user}127.0.0.1:#{@server.port}"
  def cache = @cache ||= transport(address)

  def test_client_without_a_password_can_only_read
    cache.put(cas("mine"), "mine")
    reader = transport(address(nil))

    assert_equal "mine", reader.get(cas("mine"), limit: 9)
    assert_unavailable(:credentials, /returned 401/) { reader.put(cas("other"), "other") }
    assert_unavailable(:credentials, /returned 401/) { transport(address("ci:wrong@")).delete(cas("mine")) }
    assert_equal "mine", reader.get(cas("mine"), limit: 9)
    assert_nil reader.head(cas("other"))
  end

  # The server might execute a file with such a name.
  def test_writer_can_write_cache_entries_only
    cache.put(cas("one"), "one")
    before = files
    from = "/#{cas("one")}"
    [["PUT", "/x.php"], ["PUT", "/cas/x.php"], ["PUT", "/ac/.htaccess"], ["PUT", "#{from}/x"], ["MKCOL", "/x"],
     ["COPY", from, "/x.php"], ["MOVE", from, "/cas/x.php"]].each do |words|
      assert_includes 400..599, asked(*words), words
      assert_equal before, files, words
    end
  end

  # The server's folder has the layout of a folder cache.
  def test_layout_is_that_of_a_folder_cache
    cache.put(cas("served"), "served")
    folder = transport("#{@home}/cache")

    assert_equal "served", folder.get(cas("served"), limit: 9)
    assert_equal [[cas("served"), 6]], folder.each("cas/").map { |name, size, _| [name, size] }
  end

  private

  def files = Dir.glob("**/*", File::FNM_DOTMATCH, base: "#{@home}/cache").grep(/(?:php|htaccess|\bx)\z|cas/).sort

  # The status of the response to a request with write permission.
  def asked(verb, path, target = nil)
    request = Net::HTTPGenericRequest.new(verb, verb == "PUT", true, path)
    request["Destination"] = "http://127.0.0.1:#{@server.port}#{target}" if target
    request.basic_auth("ci", "secret")
    request.body = "<?php" if verb == "PUT"
    Net::HTTP.start("127.0.0.1", @server.port) { |http| http.request(request) }.code.to_i
  end
end

# Servers that list their entries to clients with write permission.
module ListingServerCase
  include WebServerCase
  include TransportCase::Lists

  def test_list_is_empty_before_the_first_put
    assert_empty cache.each("cas/").to_a + cache.each("ac/").to_a
  end

  def test_client_without_write_permission_gets_no_list
    cache.put(cas("one"), "one")
    [nil, "ci:wrong@"].each do |user|
      error = assert_unavailable(:credentials, /returned 401/) { transport(address(user)).each("cas/") { flunk } }

      assert_match(/\Abundle config set --global \S+ USER:PASSWORD \(any:TOKEN /, error.hint)
    end
  end
end

class NginxTest < Minitest::Test
  include ListingServerCase

  def start = WebServers.nginx(@home)

  def test_server_without_write_access
    cache.put(cas("read"), "read")
    @server.stop
    @server = WebServers.nginx(@home, writable: false)
    reader = transport(address)

    assert_equal "read", reader.get(cas("read"), limit: 9)
    assert_unavailable(:read_only, /returned 405/) { reader.put(cas("more"), "more") }
    assert_unavailable(:read_only, /returned 405/) { reader.put(cas("more"), "more" * TransportCase::MIB) }
    assert_unavailable(:read_only) { reader.delete(cas("read")) }
    assert_equal "read", reader.get(cas("read"), limit: 9)
  end

  # The folder may belong to another user. A file in its place simulates this, because root can write to any folder.
  def test_folder_that_the_server_cannot_write
    File.write("#{@home}/cache/cas", "in the way")
    error = assert_unavailable(:answer, /returned 500/) { cache.put(cas("first"), "first") }

    assert_match(/see its log; the folder/, error.hint)
  end
end

class CacheNodeTest < Minitest::Test
  include ListingServerCase

  def tells_of_others? = true

  def start = WebServers.node(@home)

  # Clients send a user and a password; the password is the token.
  def test_tokens_of_readers_and_writers
    @server.stop
    @server = WebServers.node(@home, reader: "reader")
    nobody, wrong, reader, writer = [nil, "ci:wrong@", "me:reader@", writer()].map { |user| transport(address(user)) }
    writer.put(cas("one"), "one")

    assert_equal %w[one one], [reader, writer].map { |cache| cache.get(cas("one"), limit: 9) }
    [nobody, wrong].each do |cache|
      calls_of(cache).each { |call| assert_unavailable(:credentials, /returned 401/, &call) }
    end
    calls_of(reader).drop(1).each { |call| assert_unavailable(:credentials, /returned 403/, &call) }
    assert_equal 3, writer.head(cas("one"))
  end

  private

  def calls_of(cache)
    [-> { cache.get(cas("one"), limit: 9) }, -> { cache.put(cas("two"), "two") }, -> { cache.delete(cas("one")) },
     -> { cache.each("cas/") { flunk } }]
  end
end

class ApacheTest < Minitest::Test
  include WebServerCase

  def tells_of_others? = true

  def start = WebServers.apache(@home)

  def test_it_cannot_list
    error = assert_raises(RemoteCache::Unsupported) { cache.each("cas/") { flunk } }

    assert_match(/autoindex_format json/, error.hint)
  end

  def test_missing_folders
    FileUtils.rmdir("#{@home}/cache/cas")
    error = assert_unavailable(:answer, /returned 409/) { cache.put(cas("first"), "first") }

    assert_match(/create the folders ac and cas/, error.hint)
    FileUtils.mkdir_p("#{@home}/cache/#{cas("second")}")
    error = assert_unavailable(:answer, /returned 409/) { cache.put(cas("second"), "second") }

    assert_match(/must not contain folders/, error.hint)
  end
end

class UnconditionalServerTest < Minitest::Test
  include TransportCase

  # Swift does this. The last writer then wins, as with all servers that ignore the condition.
  def test_server_that_refuses_the_condition_itself
    kept = []
    server = ScriptedServer.new do |request|
      next 501 if request.headers["if-none-match"]

      kept << request.body
      201
    end.start

    assert transport("http://127.0.0.1:#{server.port}").put(ac("key"), "one", fresh: true)
    assert_equal ["one"], kept
  ensure
    server&.stop
  end
end
