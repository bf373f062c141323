# frozen_string_literal: true

require "test_helper"
require "open3"
require "rbconfig"
require "support/zlib_walk"

module Spate
  # Random calls, checked against the stock library: as they are, with a collection before every allocation, with
  # objects that move, and with an extension that was built with sanitizers.
  class ZlibMemoryTest < Minitest::Test
    STEPS = ENV["SPATE_TEST_FULL"] ? 50_000 : 600
    LIB = File.expand_path("../../lib", __dir__)

    def test_random_calls
      seed = Integer(ENV.fetch("SPATE_SEED", Random.new_seed % 1_000_000))
      ZlibWalk.new(seed).run(STEPS)
    end

    def test_under_stress
      assert_quiet "GC.stress = true", 25, 20_000
      assert_quiet "GC.auto_compact = true; GC.stress = true", 10, 20_000
      assert_quiet "GC.auto_compact = true", 300, 200_000
    end

    # Built in a folder of its own, for a Ruby that is told to load their library first.
    def test_under_sanitizers
      library, = Open3.capture2("gcc", "-print-file-name=libasan.so")
      skip "gcc has no AddressSanitizer here" unless File.file?(library.strip)

      extconf = File.expand_path("../../ext/spate/zlib/extconf.rb", __dir__)
      # Not the stack's: Ruby's exceptions jump over frames without telling.
      flags = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined " \
              "--param=asan-stack=0"
      write("lib/spate/native/keep", "")
      out, status = Open3.capture2e("#{RbConfig.ruby} #{extconf} && make -j2 " \
                                    "CFLAGS='$(CCDLFLAGS) -std=gnu11 #{flags}' LDSHARED='gcc -shared #{flags}' && " \
                                    "cp zlib.so lib/spate/native", chdir: folder)
      assert_predicate status, :success?, out
      # Its own signal stack it would take for Ruby's, and free that, where a thread ends.
      assert_quiet "", STEPS / 2, 300_000, ["-I#{folder}/lib"],
                   "LD_PRELOAD" => library.strip,
                   "ASAN_OPTIONS" => "use_sigaltstack=0:detect_leaks=0:abort_on_error=0:allocator_may_return_null=1"
    end

    def assert_quiet(setting, steps, largest, options = [], **env)
      script = "require 'support/zlib_walk'; walk = Spate::ZlibWalk.new(7, largest: #{largest}); walk.run(20)\n" \
               "begin; #{setting}; rescue NotImplementedError; end; walk.run(#{steps}); print walk.steps"
      out, status = Open3.capture2e(env.transform_keys(&:to_s), RbConfig.ruby, "--disable-gems", *options,
                                    "-I#{LIB}", "-I#{File.expand_path("..", __dir__)}", "-e", script)
      assert_predicate status, :success?, out.lines.first(40).join
      assert_equal (steps + 20).to_s, out.lines.last
    end
  end
end
