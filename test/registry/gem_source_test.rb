# frozen_string_literal: true

require "test_helper"
require "support/gem_source"
require "net/http"
require "open3"

# The local gem source must behave like a real one with real clients.
class GemSourceTest < Minitest::Test
  def setup
    @source = GemSource.start
    @source.add("alpha", "1.0", dependencies: { "beta" => [">= 1", "< 3"] }, executables: ["alpha"])
    @source.add("beta", "2.0")
    @source.add("beta", "3.0")
  end

  def teardown
    @source.stop
    super
  end

  def test_gem_fetches_through_the_old_index
    run_clean("gem", "fetch", "beta", "--version", "2.0", "--clear-sources", "--source", @source.url)

    assert_equal File.binread(@source.catalog.archive("beta-2.0.gem")), File.binread(File.join(folder, "beta-2.0.gem"))
    assert_includes @source.requests.map(&:path), "/quick/Marshal.4.8/beta-2.0.gemspec.rz"
  end

  def test_bundle_installs_through_the_compact_index
    write("Gemfile", "source \"#{@source.url}\"\ngem \"alpha\"\n")
    run_clean("bundle", "install")
    output = run_clean("bundle", "exec", "alpha")

    assert_equal "alpha\n", output
    assert_includes File.read(File.join(folder, "Gemfile.lock")), "    beta (2.0)\n"
    assert_includes @source.requests.map(&:path), "/info/alpha"
  end

  def test_bundle_installs_over_tls_with_certificate_and_password
    authority = GemSource::Authority.new(folder)
    secure = GemSource.start(folder: @source.catalog.folder, userinfo: "me:secret", tls: authority,
                             client_certificate: true)
    write("Gemfile", "source \"#{secure.url}\"\ngem \"beta\"\n")
    gemrc = write(".gemrc", ":ssl_ca_cert: #{authority.ca_file}\n:ssl_client_cert: #{authority.client_file}\n")
    run_clean("bundle", "install", "GEMRC" => gemrc, "BUNDLE_LOCALHOST" => "me:secret")

    assert_equal ["me:secret"], secure.requests.map(&:userinfo).uniq
    assert_equal 1, Dir.glob(File.join(folder, "vendor/ruby/*/gems/beta-3.0")).size
  ensure
    secure&.stop
  end

  def test_versions_grow_and_answer_ranges_and_etags
    first = get("/versions")
    @source.add("gamma", "1.0")
    @source.yank("beta-3.0")
    rest = get("/versions", "Range" => "bytes=#{first.body.bytesize - 1}-")

    assert_equal "206", rest.code
    assert_match(/\A\ngamma 1.0 \h{32}\nbeta -3.0 \h{32}\n\z/, rest.body)
    assert_equal "304", get("/versions", "If-None-Match" => get("/versions")["ETag"]).code
    assert_equal "404", get("/gems/beta-3.0.gem").code
  end

  def test_faults_happen_as_often_as_configured
    @source.fault("/info/beta", :status, code: 503, retry_after: 1, times: 1)
    answers = Array.new(2) { get("/info/beta") }

    assert_equal %w[503 200], answers.map(&:code)
    assert_equal "1", answers.first["Retry-After"]
  end

  def test_child_process_serves_with_latency_and_reports_its_requests
    child = GemSource.spawn(folder: @source.catalog.folder, latency_ms: 30)
    started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
    body = Net::HTTP.get(URI("#{child.url}info/beta"))

    assert_operator Process.clock_gettime(Process::CLOCK_MONOTONIC) - started, :>=, 0.03
    assert_equal @source.catalog.info("beta"), body
    assert_equal ["GET /info/beta"], child.requests
  ensure
    child&.stop
  end

  private

  def get(path, headers = {})
    Net::HTTP.start("127.0.0.1", @source.port, nil) { |http| http.get(path, headers) }
  end

  def run_clean(*command, **environment)
    environment = { "BUNDLE_PATH" => "vendor", "BUNDLE_GEMFILE" => nil, "RUBYOPT" => nil, "HOME" => folder,
                    "http_proxy" => nil, "https_proxy" => nil }.merge(environment)
    output, status = Open3.capture2e(environment, *command, chdir: folder)
    assert_predicate status, :success?, output
    output
  end
end
