# frozen_string_literal: true

require "test_helper"
require "support/cached"

module Spate
  module Server
    # Tokens and options decide which clients may read and write the cache.
    class CacheAccessTest < Minitest::Test
      include Cached

      # Authorization header => statuses of GET (404 means readable), PUT and DELETE.
      WITH_BOTH = { nil => [401, 401, 401], "Bearer reader" => [404, 403, 403], "Bearer writer" => [404, 201, 204],
                    "bearer second" => [404, 201, 204], "Bearer wrong" => [401, 401, 401],
                    "Bearer " => [401, 401, 401], "Bearer # of CI" => [401, 401, 401],
                    "Basic #{["any:writer"].pack("m0")}" => [404, 201, 204],
                    "Basic #{[":reader"].pack("m0")}" => [404, 403, 403],
                    "Basic #{["writer"].pack("m0")}" => [401, 401, 401], "Basic %" => [401, 401, 401],
                    "Digest writer" => [401, 401, 401], "writer" => [401, 401, 401] }.freeze

      def readers = write("readers", "reader\n")
      def writers = write("writers", "# of CI\n\n writer \nsecond\n")

      def statuses(authorization)
        fields = authorization ? { "authorization" => authorization } : {}
        path = document("x")
        [fetch(path, fields), put(path, "x", fields), delete(path, fields)].map { |answer| code(answer) }
      end

      def test_readers_and_writers
        cache("--cache-read-token", readers, "--cache-write-token", writers)
        WITH_BOTH.each { |text, expected| assert_equal expected, statuses(text), text.inspect }
        assert_equal 'Basic realm="spate cache", Bearer', fetch(document("x"))["www-authenticate"]
      end

      def test_writers_alone
        cache("--cache-write-token", writers)
        assert_equal [[404, 401, 401], [404, 201, 204], [404, 401, 401]],
                     [nil, "Bearer writer", "Bearer wrong"].map { |authorization| statuses(authorization) }
      end

      def test_permissions_are_printed_at_the_start
        watch("--cache=#{store}")
        assert_equal "read access for everyone, no write access (--cache-write-token FILE or --cache-open)\n",
                     told(/access/)
        { { anyone: true } => "read access for everyone, write access for all readers",
          { readers: %w[a], writers: %w[b] } => "read access by token, write access by token" }
          .each { |options, line| assert_equal line, Cache::Access.new(**options).to_s }
      end

      # Without a write token or --cache-open, no client may write.
      def test_writing_is_disabled_by_default
        cache("--cache-read-token", readers)
        assert_equal [404, 403, 403], statuses("Bearer reader")
      end

      def test_readers_write
        cache("--cache-read-token", readers, "--cache-open")
        assert_equal [[401, 401, 401], [404, 201, 204]], [nil, "Bearer reader"].map { |text| statuses(text) }
      end

      # Containers usually pass tokens in environment variables.
      def test_tokens_of_the_environment
        variables = ["SPATE_CACHE_READ_TOKENS=reader other", "SPATE_CACHE_WRITE_TOKENS=writer"]
        watch("--cache=#{store}", wrapper: ["env", *variables])
        assert_equal [[401, 401, 401], [404, 403, 403], [404, 201, 204]],
                     [nil, "Bearer other", "Bearer writer"].map { |authorization| statuses(authorization) }
      end

      # A hot restart reads the file again, so a leaked token can be revoked.
      def test_changed_token_file
        cache("--cache-write-token", writers)
        assert_equal 201, code(put(document("x"), "x", "authorization" => "Bearer writer"))
        write("writers", "another\n")
        Process.kill(:USR2, @server)
        Timeout.timeout(SECONDS) { Process.wait(@server) }
        @server = nil
        fields = %w[writer another].map { |token| { "authorization" => "Bearer #{token}" } }
        assert_equal([401, 201], fields.map { |one| code(put(document("x"), "x", one)) })
      end

      def test_invalid_options
        command = ->(*words) { Open3.capture2e(*COMMAND, "--cache=#{store}", *words).first.lines.first }
        both = ["--cache-open", "--cache-write-token", writers]
        empty = write("empty", "# none\n")
        assert_match(/\Aerror: #{empty} has no token$/, command["--cache-read-token", empty])
        assert_match(/\Aerror: tokens cannot be read from none: No such file/, command["--cache-write-token", "none"])
        assert_match(/\Aerror: --cache-open cannot be combined with write tokens/, command[*both])
      end

      # Warns about clear text and missing permissions if other machines can reach the server.
      def test_warnings
        cache("--host", "0.0.0.0")
        assert_match(/clear text.*--tls.*every client/m, stop.last)
        home = ["env", "XDG_CACHE_HOME=#{folder}"]
        cache("--host", "0.0.0.0", "--tls", "--cache-write-token", writers, wrapper: home)
        refute_match(/warning/, stop.last)
        cache
        refute_match(/warning/, stop.last)
      end
    end
  end
end
