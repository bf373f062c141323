# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # ccache can use the cache with its "bazel" layout: what one machine compiled is a cache hit on the next.
    class CacheCcacheTest < Minitest::Test
      include Cached

      def test_two_machines
        skip "ccache is not installed" unless system("ccache --version", %i[out err] => File::NULL)
        cache("--cache-write-token", write("writers", "secret\n"))
        write("app/main.c", "int main(void) { return 42; }\n")
        assert_equal [0, 1], compile("first", "user:secret@").values_at("remote_storage_hit", "remote_storage_miss")
        assert_operator stored.size, :>=, 1
        stored.each { |name| assert_match(%r{\Aac/\h{64}\z}, name) }
        assert_equal [1, 0], compile("second", "").values_at("remote_storage_hit", "remote_storage_miss")
        assert_equal File.binread("#{folder}/first.o"), File.binread("#{folder}/second.o")
      end

      # Returns the counters of ccache. A new local cache simulates another machine.
      def compile(machine, user)
        env = { "CCACHE_DIR" => "#{folder}/#{machine}", "CCACHE_NODIRECT" => "1", "CCACHE_BASEDIR" => folder,
                "CCACHE_REMOTE_STORAGE" => "http://#{user}127.0.0.1:#{@port}|layout=bazel" }
        run = lambda do |*words|
          output, status = Open3.capture2e(env, *words, chdir: "#{folder}/app")
          assert_predicate status, :success?, output
          output
        end
        run.call("ccache", "gcc", "-c", "main.c", "-o", "#{folder}/#{machine}.o")
        run.call("ccache", "--print-stats").lines.to_h { |line| line.split.then { |name, count| [name, count.to_i] } }
      end
    end
  end
end
