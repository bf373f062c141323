# frozen_string_literal: true

require "test_helper"
require "open3"

# Builds the gems of a release and installs them into an empty Debian.
class ReleaseSourceTest < Minitest::Test
  ROOT = File.expand_path("../../..", __dir__)
  # Without precompiled gems, which test/full/release/precompiled_test.rb builds.
  SCRIPT = "bin/setup build --quiet && rake release SYSTEMS="

  def test_the_gems_install_into_an_empty_system
    said, status = Open3.capture2e("#{ROOT}/bin/fresh", "--tree", "debian13", "sh", "-c", SCRIPT)
    skip said[%r{^bin/fresh: .*}] if status.exitstatus == 77

    assert_predicate status, :success?, said
    version = Regexp.escape(Spate::VERSION)
    assert_match(/^spate version: spate #{version} /, said)
    assert_match(/^spate-serve --version: spate-serve #{version}$/, said)
    assert_match(%r{^spate/bytes, spate/zlib: #{version}$}, said)
  end
end
