# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

module Spate
  # Extensions built with sanitizers, for a Ruby that loads the sanitizer's library first.
  module Sanitized
    # The stack is left out: Ruby's exceptions jump over frames without notice, and the next calls there would be
    # reported as errors.
    FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined " \
            "--param=asan-stack=0"
    OPTIONS = {
      detect_leaks: 0, abort_on_error: 0, allocator_may_return_null: 1,
      # It would mistake its own signal stack for Ruby's and free that when a thread ends.
      use_sigaltstack: 0,
      # Locals on a separate stack, the default from GCC 13 on: Ruby's garbage collector does not scan it, and frees
      # objects that are only referenced there.
      detect_stack_use_after_return: 0
    }.map { |pair| pair.join("=") }.join(":").freeze

    # The environment of a Ruby that loads such extensions; skips the test without AddressSanitizer.
    def sanitized
      library = Open3.capture2("gcc", "-print-file-name=libasan.so").first.strip
      skip "gcc has no AddressSanitizer here" unless File.file?(library)

      { "LD_PRELOAD" => library, "ASAN_OPTIONS" => OPTIONS }
    end

    # source: an extension's folder, relative to the project's root. into: folder of the test for the library.
    def build_sanitized(source, into)
      build = File.join(folder, "build", source)
      into = File.join(folder, into)
      FileUtils.mkdir_p([build, into])
      extconf = File.expand_path("../../#{source}/extconf.rb", __dir__)
      make = "make -j2 CFLAGS='$(CCDLFLAGS) -std=gnu11 -fvisibility=hidden #{FLAGS}' LDSHARED='gcc -shared #{FLAGS}'"
      out, status = Open3.capture2e("#{RbConfig.ruby} #{extconf} && #{make} && cp #{File.basename(source)}.so #{into}",
                                    chdir: build)
      assert_predicate status, :success?, out
    end
  end
end
