# frozen_string_literal: true

require "test_helper"
require "spate"

module Spate
  class RegistryNetrcTest < Minitest::Test
    def test_machines_defaults_quotes_comments_and_macros
      netrc = Spate::HTTP::Netrc.new(<<~TEXT)
        # machine commented.test login no password no
        machine one.test login me password a#b # trailing
        machine two.test
          login "my name"
          account x
          password "q\\"uote"
        macdef init
        machine macro.test login no password no

        machine three.test login only
        default login any password body
      TEXT

      assert_equal "me:a%23b", netrc.for("one.test")
      assert_equal "my+name:q%22uote", netrc.for("TWO.test")
      assert_equal "only", netrc.for("three.test")
      assert_equal "any:body", netrc.for("macro.test")
      assert_nil Spate::HTTP::Netrc.new("machine one.test password x").for("one.test")
    end
  end
end
