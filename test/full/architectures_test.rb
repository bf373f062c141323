# frozen_string_literal: true

require "test_helper"
require "open3"

# Tests the core, buffers and compression, the preloaded library, and an install with builds, on architectures emulated
# by Debian's qemu, in a Debian of that architecture. To run a command there: bin/fresh --arch=arm64 debian12 COMMAND.
class ArchitecturesTest < Minitest::Test
  FRESH = File.expand_path("../../bin/fresh", __dir__)
  FILES = { "-Ibytes/test -Itest" => "bytes/test/{bytes,zlib}/**/*_test.rb",
            "-Itest" => "test/{house/symbols,full/machine_install}_test.rb" }.freeze
  # Compiling is slow there, so this leaves out the core's long tests, the server and sanitizers.
  SCRIPT = <<~SH.freeze
    bin/setup build --quiet
    make -s -j2 -C core test VARIANT=$(uname -m)
    ruby --disable-gems bin/compile boot bytes tracer tracer_hooks install zlib
    #{FILES.map do |paths, files|
      "ruby #{paths} -e 'Dir[\"#{files}\"].each { |path| require File.expand_path(path) }' " \
        "-- --verbose --exclude \"/sanitize|stress/\"\n"
    end.join}
  SH
  CORE = /^\w+: (\d+) tests, \d+ checks, (\d+) failed$/
  RUBY = /^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, \d+ skips$/

  # Little-endian, unsigned char.
  def test_arm64 = assert_works("arm64")

  # Big-endian, unsigned char, no tracer.
  def test_s390x = assert_works("s390x")

  private

  def assert_works(architecture)
    said, status = Open3.capture2e({ "SPATE_TEST_FULL" => nil }, FRESH, "--tree", "--arch=#{architecture}", "debian12",
                                   "sh", "-euc", SCRIPT)
    skip said[%r{^bin/fresh: .*}] if status.exitstatus == 77
    core = said.scan(CORE).map { |counts| counts.map(&:to_i) }
    ruby = said.scan(RUBY).map { |counts| counts.map(&:to_i) }

    assert_predicate status, :success?, said
    assert_operator core.sum(&:first), :>, 100, said
    assert_operator ruby.sum(&:first), :>, 100, said
    assert_equal [0, 0], [core.sum(&:last), ruby.sum { |_, failures, errors| failures + errors }], said
    puts "#{architecture}: core #{core.sum(&:first)} tests, Ruby #{said[RUBY]}"
  end
end
