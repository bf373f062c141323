# frozen_string_literal: true

require "test_helper"

class RedactTest < Minitest::Test
  def test_credentials_are_not_shown
    { "http://u:p@h/x" => "http://h/x", "http://u:p/w@h/x" => "http://h/x", "http://u:p@w/x@h/y z" => "http://h/y z",
      "http://token@h/" => "http://h/", "http://h/@a/b" => "http://h/@a/b",
      "a http://h:80/n/@a/b" => "a http://h:80/n/@a/b",
      "http://[::1]:80/@a/b" => "http://[::1]:80/@a/b", "http://h/x?sig=1" => "http://h/x?..." }
      .each { |text, shown| assert_equal shown, Spate::Ground.redact(text) }
  end
end
