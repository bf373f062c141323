# frozen_string_literal: true

require "test_helper"

# Configuration::Address parses every http and https address of settings and lockfiles: of registries, archives, and the
# hosts that get credentials.
class JSAddressTest < Minitest::Test
  Address = Spate::JS::Configuration::Address

  def test_parses_the_components_of_an_address
    found = Address.parse("HTTPS://u:p@w@Host:443/a@b?c@d#e")

    assert_equal %w[https u:p@w host /a@b ?c@d],
                 [found.scheme, found.userinfo, found.host, found.path, found.query]
    assert_equal "https://host/a@b?c@d", found.to_s
    assert_equal "http://[::1]:8080/", Address.parse("http://[::1]:8080").to_s
    refute_match(/p@w/, found.inspect)
  end

  # Parsers disagree about the host of these addresses, or the addresses have no host.
  def test_rejects_invalid_addresses
    ["http://a?@b/x.tgz", "http://a\#@b/x.tgz", "http://a\\@b/x.tgz", "http://a/\\b", "http://a\n@b/x", "http://a\t/x",
     "http://a b/x", "http:a/x", "http:///x", "http://a:b:c/x", "http://a?b/@c", "http://\u2025a/", "file:x", nil]
      .each { |text| assert_nil Address.parse(text), text.inspect }
  end
end
