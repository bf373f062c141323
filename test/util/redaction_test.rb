# frozen_string_literal: true

require "test_helper"

class RedactionTest < Minitest::Test
  PASSWORDS = %w[p p/w p@w p:w p%40w p?w p#w 123 123/abc 1/2@3 80/a 65535/x 12/@a /x //x ?x #x @ a@b/c@d 1:2 123456/x
                 p?a=1&b 9/8/7 1/@2/@3 1/a?b#c].freeze

  def test_credentials_are_not_shown
    { "http://token@h/" => "http://h/", "http://u:p@h/x" => "http://h/x", "http://u:p@w/x@h/y z" => "http://h/y z",
      "http://u:p@h:80/n/@a/b" => "http://h:80/n/@a/b", "git+ssh://git@h/x.git" => "git+ssh://h/x.git" }
      .each { |text, shown| assert_equal shown, Spate::Util.redact(text) }
  end

  # If the password begins like a port, the host is unknown. The output then shows that a part was left out.
  def test_no_password_is_shown
    ["http://me:%s@host.test/x y", "get https://me:%s@host.test/x y failed", "http://:%s@host.test/x y",
     "(http://me:%s@host.test:80/npm/@scope/x y)", "http://h:80/x, http://me:%s@host.test/x y"]
      .product(PASSWORDS) do |text, password|
        shown = Spate::Util.redact(format(text, password))
        assert_match(%r{://(\.\.\.@)?host\.test(:80/npm/@scope)?/x y}, shown, text)
        refute_includes shown, "me:"
      end
  end

  # The name of a scope after the password is removed, too.
  def test_no_password_with_a_slash_at_its_end_is_shown
    { "http://me:p/@h/x" => "http://h/x", "http://me:p/@h/@a/x" => "http://a/x" }
      .each { |text, shown| assert_equal shown, Spate::Util.redact(text) }
  end

  def test_text_without_a_password_is_unchanged
    ["http://h/@a/b", "a http://h:80/n/@a/b", "http://[::1]:80/@a/b", "http://h:80/n/@a%2fb/-/b-1.tgz", "http://h/a@1",
     "see http://h/x and mail a@b"].each { |text| assert_equal text, Spate::Util.redact(text) }
  end

  def test_no_signature_is_shown
    { "http://h/x?sig=1" => "http://h/x?...", "http://h/x?at=12:30,sig=1: no" => "http://h/x?...: no",
      "(http://h/x?sig=1), http://h/y?sig=2;" => "(http://h/x?...), http://h/y?...;" }
      .each { |text, shown| assert_equal shown, Spate::Util.redact(text) }
  end
end
