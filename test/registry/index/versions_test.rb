# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "spate"

module Spate
  class RegistryVersionsTest < Minitest::Test
    def setup
      @source = GemSource.start
      @source.add("alpha", "1.0")
      @source.add("beta", "1.0")
    end

    def teardown
      @client&.close
      @source.stop
      super
    end

    def test_only_new_lines_are_fetched
      assert_equal %w[alpha beta], checksums.keys
      @source.add("gamma", "1.0")
      @source.forget_requests

      assert_equal @source.catalog.versions, text
      assert_equal ["bytes=#{size_before("gamma")}-"], ranges
      assert_equal %w[alpha beta gamma], checksums.keys
    end

    def test_unchanged_index_sends_no_body
      text
      @source.forget_requests

      assert_equal @source.catalog.versions, text
      assert_equal [true], @source.requests.map { |request| request.headers.key?("if-none-match") }
    end

    def test_a_kept_page_that_was_cut_off_is_not_confirmed_as_unchanged
      text
      kept = Dir.glob("#{folder}/**/versions").first
      File.truncate(kept, File.size(kept) - 8)

      assert_equal @source.catalog.versions, text
    end

    def test_complete_text_is_fetched_without_a_digest
      text
      @source.add("gamma", "1.0")
      @source.fault("/versions", :drop_headers, names: ["Repr-Digest"])
      @source.forget_requests

      assert_equal @source.catalog.versions, text
      assert_equal 2, @source.requests.size
    end

    def test_a_tail_that_does_not_fit_is_not_appended
      text
      path = Dir.glob(File.join(folder, "index/*/versions")).first
      File.write(path, File.read(path).sub("alpha", "alphb"))
      @source.add("gamma", "1.0")

      assert_equal @source.catalog.versions, text
    end

    def test_shortened_text_is_fetched_completely
      longer = "#{@source.catalog.versions}zeta 1.0 #{"0" * 32}\n"
      @source.fault("/versions", :drop_headers, names: %w[ETag Repr-Digest], times: 1)
      @source.fault("/versions", :garble, body: longer, times: 1)

      assert_equal longer, text
      assert_equal @source.catalog.versions, text
    end

    def test_a_source_without_compact_index
      old = GemSource.start(compact: false)

      assert_nil versions.checksums(remote(old))
    ensure
      old&.stop
    end

    private

    def text = versions.text(remote(@source)).force_encoding("UTF-8")
    def checksums = versions.checksums(remote(@source))
    def ranges = @source.requests.map { |request| request.headers["range"] }
    def remote(source) = Registry::Remote.new(source.url, source.url, domain: "d0")
    def size_before(name) = @source.catalog.versions.index("#{name} ") - 1

    def versions
      settings = Settings.load(root: folder, env: {})
      certificates = Spate::HTTP::Certificates.new(settings: settings, gemrc: {})
      connections = Spate::HTTP::Connections.new(proxy: Spate::HTTP::Proxy.new(env: {}), timeout: 5,
                                                 certificates: certificates)
      http = Spate::HTTP::Client.new(connections, redirects: 5, agent: "test")
      Registry::Index::Versions.new(http: http, retries: Util::Retries.new(times: 0),
                                    folder: File.join(folder, "index"))
    end
  end
end
