# frozen_string_literal: true

require_relative "transport_case"

# Servers that teams have, configured as the page says.
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

  def test_who_has_no_password_only_reads
    cache.put(cas("mine"), "mine")
    reader = transport(address(nil))

    assert_equal "mine", reader.get(cas("mine"), limit: 9)
    assert_unavailable(:credentials, /answers 401/) { reader.put(cas("other"), "other") }
    assert_unavailable(:credentials, /answers 401/) { transport(address("ci:wrong@")).delete(cas("mine")) }
    assert_equal "mine", reader.get(cas("mine"), limit: 9)
    assert_nil reader.head(cas("other"))
  end

  def test_it_cannot_list
    assert_raises(RemoteCache::Unsupported) { cache.each("cas/") { flunk } }
  end

  # A folder that a server serves is one that another machine has.
  def test_the_same_as_a_folder
    cache.put(cas("served"), "served")
    folder = transport("#{@home}/cache")

    assert_equal "served", folder.get(cas("served"), limit: 9)
    assert_equal [[cas("served"), 6]], folder.each("cas/").map { |name, size, _| [name, size] }
  end
end

class NginxTest < Minitest::Test
  include WebServerCase

  def start = WebServers.nginx(@home)

  def test_one_that_is_not_told_to_take_anything
    cache.put(cas("read"), "read")
    @server.stop
    @server = WebServers.nginx(@home, writable: false)
    reader = transport(address)

    assert_equal "read", reader.get(cas("read"), limit: 9)
    assert_unavailable(:read_only, /answers 405/) { reader.put(cas("more"), "more") }
    assert_unavailable(:read_only, /answers 405/) { reader.put(cas("more"), "more" * TransportCase::MIB) }
    assert_unavailable(:read_only) { reader.delete(cas("read")) }
    assert_equal "read", reader.get(cas("read"), limit: 9)
  end
end

class ApacheTest < Minitest::Test
  include WebServerCase

  def start = WebServers.apache(@home)

  def test_folders_that_nobody_made
    FileUtils.rmdir("#{@home}/cache/cas")
    error = assert_unavailable(:answer, /answers 409/) { cache.put(cas("first"), "first") }

    assert_match(/make the folders ac and cas/, error.hint)
  end
end
