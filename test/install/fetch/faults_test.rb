# frozen_string_literal: true

require "install/install_case"

# Gem sources with simulated faults. The error must name the fault within a limited time and leave no file. The next
# install must succeed without the fault.
class FaultsTest < InstallCase
  ARCHIVE = "/gems/hello-1.0.gem"
  QUICK = { BUNDLE_RETRY: "0", BUNDLE_TIMEOUT: "1" }.freeze

  # label => [path, kind, options of the fault, exit code, words in the output]
  FAULTS = {
    "index: a page" => ["/info/hello", :html, {}, 6, ["HTML"]],
    "index: unavailable" => ["/info/hello", :status, { code: 503 }, 6, ["503"]],
    "index: silent" => ["/info/hello", :stall, {}, 6, ["/info/hello"]],
    "truncated" => [ARCHIVE, :truncate, {}, 6, [ARCHIVE, "closed the connection"]],
    "cut before its end" => [ARCHIVE, :truncate, { bytes: 10 }, 6, ["10 of"]],
    "stalled" => [ARCHIVE, :stall, { bytes: 100 }, 6, [ARCHIVE]],
    "silent" => [ARCHIVE, :stall, {}, 6, [ARCHIVE]],
    "reset" => [ARCHIVE, :reset, { bytes: 100 }, 6, [ARCHIVE]],
    "reset at once" => [ARCHIVE, :reset, {}, 6, [ARCHIVE]],
    "one byte differs" => [ARCHIVE, :corrupt, {}, 7, ["hello-1.0", "expected", "got"]],
    "a page of the proxy" => [ARCHIVE, :html, {}, 8, ["HTML", "Sign in", "hello-1.0"]],
    "empty" => [ARCHIVE, :garble, { body: "" }, 8, ["hello-1.0"]],
    "who are you" => [ARCHIVE, :status, { code: 401 }, 6, %w[401 user]],
    "forbidden" => [ARCHIVE, :status, { code: 403 }, 6, ["403"]],
    "not there" => [ARCHIVE, :status, { code: 404 }, 14, ["hello-1.0"]],
    "too many requests" => [ARCHIVE, :status, { code: 429, retry_after: 1 }, 6, ["429"]],
    "unavailable" => [ARCHIVE, :status, { code: 503 }, 6, ["503"]],
    "redirected to itself" => [ARCHIVE, :redirect, { to: "{path}" }, 6, ["redirects"]]
  }.freeze

  def setup
    super
    @source.add("hello", "1.0", files: { "lib/hello.rb" => "HELLO = 1\n", "data" => Random.new(7).bytes(3000) })
    @source.add("good", "1.0")
    @app = app(gems: %w[good])
    assert_installs(@app, "good-1.0")
    File.write(@app.path("Gemfile"), "source '#{@source.url}'\ngem 'hello'\ngem 'good'\n")
    lock(@app, %w[hello good])
  end

  def test_each_fault_is_reported_and_leaves_no_file
    before = state(@app)
    FAULTS.each do |label, (path, kind, facts, code, words)|
      @source.clear_faults
      @source.fault(path, kind, **facts)
      took = seconds { assert_fails(@app, code, *words, **QUICK) }

      assert_operator took, :<, 15, label
      assert_equal before, state(@app), label
    end
    @source.clear_faults
    assert_installs(@app, "good-1.0", "hello-1.0")
    assert_match(/satisfied/, @app.bundle("check"))
  end

  def test_temporary_faults_are_retried
    @source.fault(ARCHIVE, :status, code: 429, retry_after: 2, times: 1)
    @source.fault("/info/hello", :status, code: 503, times: 1)
    took = seconds { assert_installs(@app, "good-1.0", "hello-1.0", BUNDLE_RETRY: "3") }

    assert_operator took, :>, 2
    assert_operator took, :<, 30
  end

  def test_checksum_of_the_lockfile_takes_precedence_over_the_source
    before = state(@app)
    lock(@app, %w[hello good], @source.url, "hello-1.0" => "1" * 64)
    output = assert_fails(@app, 7, "hello-1.0", "1" * 64, "CHECKSUMS")
    assert_includes output, @source.catalog.entry("hello-1.0").sha256
    lock(@app, %w[hello good])

    assert_equal before, state(@app)
    lock(@app, %w[hello good], @source.url, "hello-1.0" => @source.catalog.entry("hello-1.0").sha256)
    assert_installs(@app, "good-1.0", "hello-1.0")
  end

  def test_a_yanked_gem
    before = state(@app)
    @source.yank("hello-1.0")
    assert_fails(@app, 14, "hello-1.0", "yanked")

    assert_equal before, state(@app)
  end

  def test_a_yanked_gem_that_the_store_has_is_installed
    assert_installs(@app, "good-1.0", "hello-1.0")
    other = app("other", gems: %w[hello])
    @source.yank("hello-1.0")
    assert_installs(other, "hello-1.0")
  end

  def test_missing_source
    @source.stop
    assert_fails(@app, 6, "cannot be reached", **QUICK)
    @source = GemSource.start # stopped by teardown
  end
end
