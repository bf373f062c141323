# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/sanitized"
require "support/zlib_walk"

module Spate
  # Random calls of Spate::Zlib are correct and cause no memory errors: normally, with GC before every allocation, with
  # compaction, and with an extension that was built with sanitizers.
  class ZlibMemoryTest < Minitest::Test
    include Sanitized

    STEPS = ENV["SPATE_TEST_FULL"] ? 50_000 : 600
    LIB = File.expand_path("../../../lib", __dir__)

    def test_random_calls
      ZlibWalk.new(Spate.test_seed).run(STEPS)
    end

    def test_under_stress
      assert_quiet "GC.stress = true", 25, 20_000
      assert_quiet "GC.auto_compact = true; GC.stress = true", 10, 20_000
      assert_quiet "GC.auto_compact = true", 300, 200_000
    end

    def test_under_sanitizers
      env = sanitized
      build_sanitized "bytes/ext/zlib", "lib/spate/native"
      assert_quiet "", STEPS / 2, 300_000, ["-I#{folder}/lib"], **env
    end

    def assert_quiet(setting, steps, largest, options = [], **env)
      script = "require 'support/zlib_walk'; walk = Spate::ZlibWalk.new(7, largest: #{largest}); walk.run(20)\n" \
               "begin; #{setting}; rescue NotImplementedError; end; walk.run(#{steps}); print walk.steps"
      out, status = Open3.capture2e(env.transform_keys(&:to_s), RbConfig.ruby, "--disable-gems", *options,
                                    "-I#{LIB}", "-I#{File.expand_path("../..", __dir__)}", "-e", script)
      assert_predicate status, :success?, out.lines.first(40).join
      assert_equal (steps + 20).to_s, out.lines.last
    end
  end
end
