# frozen_string_literal: true

require "test_helper"
require "uri"

# Hosts that are contacted without a proxy.
class ProxyTest < Minitest::Test
  def direct?(address, list)
    env = { "http_proxy" => "http://proxy.test:3128", "no_proxy" => list }
    Spate::HTTP::Proxy.new(env: env).for(URI(address)).nil?
  end

  def test_names
    ["cache.test", ".test", "*.test", "x, CACHE.test:80", "*"].each { |list| assert direct?("http://cache.test/", list) }
    ["ache.test", "cache.test:81", "", "test:"].each { |list| refute direct?("http://cache.test/", list), list }
  end

  # A list may contain IPv6 addresses with brackets, as in a URL, or without.
  def test_addresses_of_ipv6
    ["::1", "[::1]", "[::1]:9000", "x,[::1]"].each { |list| assert direct?("http://[::1]:9000/", list), list }
    ["::2", "[::1]:9001", "1", ":1"].each { |list| refute direct?("http://[::1]:9000/", list), list }
  end
end
