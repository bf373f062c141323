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

    # RubyGems reports that the file cannot be read, and continues without it.
    def test_invalid_bytes
      in_home("# \xff\n:http_proxy: http://proxy.test\n") { |env| assert_nil Spate::HTTP::Gemrc.load(env)["http_proxy"] }
    end

    # A rescue clause with Psych's name would raise a NameError if Psych is not loaded.
    def test_interrupt_while_reading_is_not_rescued
      in_home(":http_proxy: http://proxy.test\n") do |env|
        script = 'require "spate"; def File.binread(*) = raise(Interrupt); Spate::HTTP::Gemrc.load(ENV)'
        assert_raises_alone("Interrupt", script, env)
      end
    end

    def test_invalid_source_is_reported_before_uri_is_loaded
      script = 'require "spate"; Spate::Registry::Remote.new(nil, "s3://gems.test", domain: nil).uri'
      assert_raises_alone("Spate::Registry::UnsupportedSource", script)
    end

    # Asserts that a script raises, in a Ruby process that has loaded nothing else.
    def assert_raises_alone(name, script, env = {})
      command = [RbConfig.ruby, "--disable-gems", "-I#{File.expand_path("../../lib", __dir__)}", "-e",
                 "begin; #{script}; rescue Exception => e; puts e.class; end"]
      assert_equal "#{name}\n", IO.popen(env, command, err: %i[child out], &:read)
    end

    def test_list_in_place_of_a_string
      in_home(":ssl_ca_cert:\n- one\n- two\n") do |env|
        settings = Settings.load(root: env["HOME"], env: env)
        remotes = Registry::Remotes.new(settings: settings, env: env, home: env["HOME"])
        error = assert_raises(Settings::InvalidValue) { remotes.for("https://gems.test/") }
        assert_match(/`ssl_ca_cert`.*expected one text/, error.message)
      end
    end
  end
end
