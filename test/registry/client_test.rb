# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "spate"

module Spate
  # Downloads from a faulty source. A failed download must leave no file.
  class RegistryClientTest < Minitest::Test
    Package = Struct.new(:name, :version, :platform, :source, :sha256, :content_address) do
      def full_name = platform == "ruby" ? "#{name}-#{version}" : "#{name}-#{version}-#{platform}"
    end
    Source = Struct.new(:remotes)

    def setup
      @source = GemSource.start
      @entry = @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "x" * 100_000 })
    end

    def teardown
      @client&.close
      @source.stop
      super
    end

    def test_download_with_a_locked_checksum_does_not_query_the_index
      result = fetch(sha256: @entry.sha256)

      assert_equal File.binread(@source.catalog.archive("alpha-1.0.gem")), File.binread(target)
      assert_equal [File.size(target), @entry.sha256, @source.url, :lockfile, nil], result.to_a
      assert_equal ["/gems/alpha-1.0.gem"], paths
    end

    def test_index_is_queried_again_when_the_lockfile_has_no_checksum
      assert_equal :index, fetch.verified
      @source.forget_requests
      renew

      assert_equal :index, fetch.verified
      assert_equal ["/versions", "/gems/alpha-1.0.gem"], paths
      assert @source.requests.first.headers.key?("if-none-match")
    end

    def test_wrong_checksum_is_reported_with_both_sums_and_no_file_is_kept
      error = assert_raises(Registry::ChecksumMismatch) { fetch(sha256: "0" * 64) }

      assert_equal 7, error.exit_code
      ["alpha-1.0", "0" * 64, @entry.sha256, @source.url, "CHECKSUMS"].each do |fact|
        assert_includes error.message, fact
      end
      assert_nothing_kept
    end

    def test_a_changed_byte_is_found_by_the_index
      @source.fault(%r{/gems/}, :corrupt)
      error = assert_raises(Registry::ChecksumMismatch) { fetch }

      assert_includes error.message, "the index of #{@source.url}"
      assert_nothing_kept
    end

    def test_a_page_instead_of_a_gem_is_named
      @source.fault(%r{/gems/}, :html)
      error = assert_raises(Registry::NotAnArchive) { fetch(sha256: @entry.sha256) }

      assert_includes error.message, "an HTML page (\"Sign in to the network\")"
      assert_equal 8, error.exit_code
      assert_nothing_kept
    end

    def test_a_page_instead_of_an_index_is_named
      @source.fault(%r{/info/}, :html)
      error = assert_raises(Registry::NotAnIndex) { fetch }

      assert_includes error.message, "Sign in to the network"
    end

    { truncate: {}, reset: {}, reset_in_mid_body: { bytes: 500 } }.each do |kind, facts|
      define_method("test_#{kind}_is_tried_again") do
        @source.fault(%r{/gems/}, kind.to_s[/[a-z]+/].to_sym, times: 2, **facts)

        assert_equal @entry.sha256, fetch(sha256: @entry.sha256).sha256
        assert_equal 3, paths.size
      end
    end

    def test_permanent_failure_is_reported_after_the_last_try
      @source.fault(%r{/gems/}, :truncate)
      error = assert_raises(Spate::HTTP::Truncated) { fetch(sha256: @entry.sha256) }

      assert_match(%r{/gems/alpha-1.0.gem closed the connection}, error.message)
      assert_equal 4, paths.size
      assert_nothing_kept
    end

    def test_a_stall_ends_with_the_time_limit
      @source.fault(%r{/gems/}, :stall, bytes: 500, times: 1)
      renew(timeout: 0.2)

      assert_equal @entry.sha256, fetch(sha256: @entry.sha256).sha256
    end

    def test_endless_body_ends_at_the_limit
      @source.fault(%r{/gems/}, :endless)
      renew("spate.max_download": 2)
      error = assert_raises(Spate::HTTP::TooLarge) { fetch(sha256: @entry.sha256) }

      assert_equal 8, error.exit_code
      assert_match(%r{/gems/alpha-1\.0\.gem sends more, the limit is 2097152 bytes \(2 MiB\)}, error.message)
      assert_match(/spate\.max_download/, error.hint)
      assert_equal 1, paths.size, "another try would bring the same"
      assert_nothing_kept
    end

    def test_oversized_body_is_not_read
      @source.fault(%r{/gems/}, :announce, length: 1 << 41)
      error = assert_raises(Spate::HTTP::TooLarge) { fetch(sha256: @entry.sha256) }

      assert_includes error.message, "has #{1 << 41} bytes, the limit is 1073741824 bytes (1024 MiB)"
      assert_nothing_kept
    end

    def test_body_that_is_small_only_when_compressed
      @source.fault(%r{/gems/}, :garble, body: "\0" * (3 << 20))
      @source.fault(%r{/gems/}, :gzip)
      renew("spate.max_download": 2)

      assert_raises(Spate::HTTP::TooLarge) { fetch(sha256: @entry.sha256) }
      assert_nothing_kept
    end

    def test_invalid_limit
      error = assert_raises(Settings::InvalidValue) { renew("spate.max_download": "plenty") }

      assert_match(/`spate.max_download` is "plenty"; expected a whole number/, error.message)
    end

    def test_retry_after_is_honoured
      @source.fault(%r{/gems/}, :status, code: 503, retry_after: 1, times: 1)
      started = now

      assert_equal @entry.sha256, fetch(sha256: @entry.sha256).sha256
      assert_operator now - started, :>=, 1.0
    end

    def test_final_statuses_are_not_retried
      expected = { 401 => [Spate::HTTP::CredentialsRequired, 6], 403 => [Spate::HTTP::Forbidden, 6],
                   404 => [Registry::NotFound, 14], 418 => [Spate::HTTP::Status, 6] }
      expected.each do |code, (error_class, exit_code)|
        @source.clear_faults
        @source.forget_requests
        @source.fault(%r{/gems/}, :status, code: code)
        error = assert_raises(error_class) { fetch(sha256: @entry.sha256) }

        assert_equal [exit_code, 1], [error.exit_code, paths.size], code.to_s
      end
    end

    def test_a_yanked_gem_is_not_found_by_index_or_archive
      @source.add("alpha", "1.1")
      @source.yank("alpha-1.0")

      assert_match(/alpha-1.0 was not found at/, assert_raises(Registry::NotFound) { fetch }.message)
      assert_raises(Registry::NotFound) { fetch(sha256: @entry.sha256) }
    end

    def test_gems_of_a_source_without_compact_index_are_unverified_with_a_warning
      @source.stop
      @source = GemSource.start(compact: false)
      @source.add("alpha", "1.0")
      warnings = []
      renew { |event| warnings << event[:message] if event[:event] == :warning }

      assert_equal :archive, fetch.verified
      assert_match(/has no compact index/, warnings.first)
    end

    def test_the_last_remote_that_lists_a_gem_has_it
      other = GemSource.start
      other.add("beta", "1.0")
      package = Package.new("alpha", "1.0", "ruby", Source.new([@source.url, other.url]))

      assert_equal @source.url, client.fetch(package, to: target).source
      other.add("alpha", "1.0", files: { "lib/alpha.rb" => "other" })
      renew

      assert_equal other.url, client.fetch(package, to: target).source
    ensure
      other&.stop
    end

    # CVE-2019-8322, 2019-8323, 2019-8325: RubyGems printed a server's response without escaping it.
    def test_page_title_is_escaped
      assert_equal 'an HTML page ("red [31m  ink")',
                   Registry::Archive.describe("<html><title>red\e[31m\a ink</title></html>".b)
      assert_equal "something else", Registry::Archive.describe("\e]0;title\a")
    end

    # CVE-2020-36327: Bundler used the highest version from any source.
    def test_gem_is_requested_only_from_its_source
      other = GemSource.start
      other.add("alpha", "1.0", files: { "lib/alpha.rb" => "other" })
      other.add("alpha", "99.0")
      renew(sources: [@source.url, other.url])

      assert_equal @source.url, fetch.source
      assert_empty other.requests
    ensure
      other&.stop
    end

    def test_a_gzipped_answer_is_understood
      @source.fault(//, :gzip)

      assert_equal @entry.sha256, fetch.sha256
    end

    def test_archive_pushed_again_is_compared_with_the_current_index
      fetch
      renew
      changed = @source.add("alpha", "1.0", files: { "lib/alpha.rb" => "new" })

      assert_equal changed.sha256, fetch.sha256
    end

    # If close did not work, this test would wait for ten minutes.
    def test_close_ends_a_stalled_download_at_once
      @source.fault(%r{/gems/}, :stall)
      renew(timeout: 600)
      thread = Thread.new { fetch(sha256: @entry.sha256) }
      thread.report_on_exception = false
      sleep 0.01 until @source.requests.any?
      client.close

      assert_raises(Util::Cancelled) { thread.value }
      assert_nothing_kept
    end

    def test_many_threads_share_few_connections
      20.times { |i| @source.add("gem#{i}", "1.0") }
      names = Queue.new.tap { |queue| 20.times { |i| queue << "gem#{i}" } }
      client
      Array.new(4) do
        Thread.new do
          while (name = names.pop(true) rescue nil) # rubocop:disable Style/RescueModifier
            client.fetch(Package.new(name, "1.0", "ruby", Source.new([@source.url])), to: File.join(folder, name))
          end
        end
      end.each(&:join)

      assert_equal 20, Dir.children(folder).grep(/\Agem\d+\z/).size
      assert_operator @source.connections, :<=, 4
    end

    # Whether a source has an index is queried once for all waiting threads.
    def test_many_threads_wait_for_a_silent_source_together
      @source.fault("/versions", :stall)
      renew(timeout: 1)
      package = Package.new("alpha", "1.0", "ruby", Source.new([@source.url]))
      failed = Array.new(8) do
        Thread.new { assert_raises(Spate::HTTP::Unreachable) { @client.listing(package, tries: 0) } }
      end
      assert_equal [Spate::HTTP::Unreachable], failed.map { |thread| thread.value.class }.uniq
      assert_equal %w[/versions], paths
    end

    def test_names_that_would_leave_the_folder_are_refused
      package = Package.new("../alpha", "1.0", "ruby", Source.new([@source.url]), "0" * 64)

      assert_raises(Registry::NotFound) { client.fetch(package, to: target) }
      assert_empty @source.requests
    end

    def test_versions_lists_every_archive
      @source.add("alpha", "1.0", platform: "x86_64-linux-musl", dependencies: { "beta" => ["< 3", ">= 1"] },
                                  ruby: ">= 3.0")
      found = client.versions("alpha", Source.new([@source.url]))

      assert_equal [%w[1.0 ruby], %w[1.0 x86_64-linux-musl]], found.map { |info| [info.version, info.platform] }
      assert_equal [{ "beta" => ["< 3", ">= 1"] }, [">= 3.0"]], [found.last.dependencies, found.last.ruby]
      assert_empty client.versions("nobody", Source.new([@source.url]))
    end

    def test_gems_lists_names
      assert_equal ["alpha"], client.gems(@source.url).keys
    end

    private

    def client = @client ||= renew

    def renew(timeout: 5, retries: 3, env: {}, sources: [], **settings, &listener)
      @client&.close
      events = Events.new
      events.subscribe(&listener) if listener
      environment = { "HOME" => folder, "BUNDLE_TIMEOUT" => "5", "BUNDLE_RETRY" => retries.to_s }.merge(env)
      loaded = Settings.load(root: folder, env: environment, flags: { timeout: timeout }.merge(settings))
      loaded.define_singleton_method(:[]) { |name| name.to_s == "timeout" ? timeout : super(name) }
      @client = Registry::Client.new(settings: loaded, events: events, env: environment, sources: sources,
                                     home: File.join(folder, "home"), retry_base: 0.01)
    end

    def fetch(sha256: nil)
      client.fetch(Package.new("alpha", "1.0", "ruby", Source.new([@source.url]), sha256), to: target)
    end

    def target = File.join(folder, "alpha.gem")
    def paths = @source.requests.map(&:path)
    def now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

    def assert_nothing_kept
      assert_empty Dir.children(folder) - ["home"]
    end
  end
end
