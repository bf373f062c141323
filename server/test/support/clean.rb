# frozen_string_literal: true

require_relative "../../../test/support/sanitized"

module Spate
  module Server
    # Runs tests of the server with extensions that were built with sanitizers.
    module Clean
      include Spate::Sanitized

      ROOT = File.expand_path("../../..", __dir__)

      # extensions: folders of server/ext. tests: files of server/test.
      def assert_clean(extensions, tests)
        env = sanitized
        extensions.each { |name| build_sanitized("server/ext/#{name}", "spate/server/native") }
        tests.each do |name|
          out, status = run_test(env, extensions, name)
          assert_predicate status, :success?, out.lines.last(60).join
          assert_match(/[1-9]\d* runs, .* 0 failures, 0 errors, 0 skips/, out)
          refute_match(/AddressSanitizer|runtime error/, out)
        end
      end

      private

      def run_test(env, extensions, name)
        folders = %w[server/test server/lib bytes/lib].map { |path| File.join(ROOT, path) }
        paths = [folder, *folders].map { |path| "-I#{path}" }
        loaded = extensions.map { |one| "-r#{folder}/spate/server/native/#{one}.so" }
        Open3.capture2e(env, RbConfig.ruby, *paths, *loaded, File.join(ROOT, "server/test", name))
      end
    end
  end
end
