# frozen_string_literal: true

require "fileutils"
require "open3"
require "rbconfig"

module Spate
  # Builds extensions with sanitizers, for a Ruby that loads the sanitizer's library first.
  module Sanitized
    # The stack is not instrumented: Ruby's exceptions skip frames without notifying the sanitizer, and later calls at
    # that depth would be reported as errors.
    FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined " \
            "--param=asan-stack=0"
    OPTIONS = {
      detect_leaks: 0, abort_on_error: 0, allocator_may_return_null: 1,
      # The sanitizer would confuse its own signal stack with Ruby's, and free Ruby's when a thread ends.
      use_sigaltstack: 0,
      # This option, the default since GCC 13, puts locals on a separate stack. Ruby's garbage collector does not scan
      # it, and would free objects that are only referenced there.
      detect_stack_use_after_return: 0
    }.map { |pair| pair.join("=") }.join(":").freeze

    # The environment of a Ruby that loads such extensions. Skips the test without AddressSanitizer.
    def sanitized
      library = Open3.capture2("gcc", "-print-file-name=libasan.so").first.strip
      skip "gcc has no AddressSanitizer here" unless File.file?(library)

      { "LD_PRELOAD" => library, "ASAN_OPTIONS" => OPTIONS }
    end

    # source: an extension's folder, relative to the project's root. into: a folder of the test for the library.
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
