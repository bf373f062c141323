# frozen_string_literal: true

require "test_helper"
require "spate"
require "tmpdir"

module Spate
  class GemrcTest < Minitest::Test
    def in_home(gemrc)
      Dir.mktmpdir do |home|
        File.binwrite(File.join(home, ".gemrc"), gemrc)
        yield({ "HOME" => home })
      end
    end

    # RubyGems says that it cannot be read, and goes on without.
    def test_bytes_that_are_no_text
      in_home("# \xff\n:http_proxy: http://proxy.test\n") { |env| assert_nil Registry::Gemrc.load(env)["http_proxy"] }
    end

    def test_a_list_where_one_text_is_wanted
      in_home(":ssl_ca_cert:\n- one\n- two\n") do |env|
        settings = Settings.load(root: env["HOME"], env: env)
        remotes = Registry::Remotes.new(settings: settings, env: env, home: env["HOME"])
        error = assert_raises(Settings::InvalidValue) { remotes.for("https://gems.test/") }
        assert_match(/`ssl_ca_cert`.*expected one text/, error.message)
      end
    end
  end
end
