# frozen_string_literal: true

require "open3"
require "rbconfig"

module Spate
  module Server
    # Extensions built with sanitizers, and tests run with those in a Ruby that is told to load their library first.
    module Sanitized
      FLAGS = "-O1 -g -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined"
      ROOT = File.expand_path("../../..", __dir__)
      # Its own signal stack it would take for Ruby's, and free that, where a thread ends.
      OPTIONS = "use_sigaltstack=0:detect_leaks=0:abort_on_error=0"

      # extensions: folders of server/ext. tests: files of server/test.
      def assert_clean(extensions, tests)
        library, = Open3.capture2("gcc", "-print-file-name=libasan.so")
        skip "gcc has no AddressSanitizer here" unless File.file?(library.strip)

        write("spate/server/native/keep", "")
        extensions.each { |name| build(name) }
        tests.each do |name|
          out, status = run_test(library.strip, extensions, name)
          assert_predicate status, :success?, out.lines.last(60).join
          assert_match(/[1-9]\d* runs, .* 0 failures, 0 errors, 0 skips/, out)
          refute_match(/AddressSanitizer|runtime error/, out)
        end
      end

      private

      def build(name)
        build = File.join(folder, name)
        Dir.mkdir(build)
        extconf = File.join(ROOT, "server/ext", name, "extconf.rb")
        make = "make -j2 CFLAGS='$(CCDLFLAGS) -std=gnu11 #{FLAGS}' LDSHARED='gcc -shared #{FLAGS}'"
        out, status = Open3.capture2e("#{RbConfig.ruby} #{extconf} && #{make} && cp #{name}.so ../spate/server/native",
                                      chdir: build)
        assert_predicate status, :success?, out
      end

      def run_test(preload, extensions, name)
        folders = %w[server/test server/lib lib].map { |path| File.join(ROOT, path) }
        paths = [folder, *folders].map { |path| "-I#{path}" }
        loaded = extensions.map { |one| "-r#{folder}/spate/server/native/#{one}.so" }
        Open3.capture2e({ "LD_PRELOAD" => preload, "ASAN_OPTIONS" => OPTIONS }, RbConfig.ruby, *paths, *loaded,
                        File.join(ROOT, "server/test", name))
      end
    end
  end
end
