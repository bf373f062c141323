# frozen_string_literal: true

require "test_helper"
require "support/gem_source"

# Updating the index pages of many gems requests only pages that are missing or have changed.
class PagesTest < Minitest::Test
  NAMES = Array.new(45) { |number| "gem#{number}" }.freeze

  def setup
    @source = GemSource.start
    NAMES.each { |name| @source.add(name, "1.0") }
  end

  def teardown
    @source.stop
    super
  end

  def pages(offline: false)
    settings = Spate::Settings.load(root: folder, env: { "HOME" => folder, "BUNDLE_RETRY" => "0" })
    env = { "HOME" => folder, "SPATE_HOME" => "#{folder}/home" }
    Spate::Registry::Client.new(settings: settings, env: env, sources: []).pages(@source.url, offline: offline)
  end

  # The paths that the block requests.
  def requested
    @source.forget_requests
    yield
    @source.requests.map(&:path)
  end

  def test_first_and_second_time
    paths = requested { pages.fetch(NAMES) }
    assert_equal NAMES.sort, paths.grep(%r{/info/}).map { |path| File.basename(path) }.sort
    assert_equal %w[/versions], requested { assert_match(/^1.0 /, pages.fetch(NAMES)["gem7"]) }
  end

  def test_only_changed_pages_are_requested_again
    pages.fetch(NAMES)
    @source.add("gem7", "1.1")
    texts = nil
    assert_equal %w[/info/gem7], requested { texts = pages.fetch(NAMES) }.grep(%r{/info/})
    assert_match(/^1.1 /, texts["gem7"])

    @source.add("gem8", "1.1")
    paths = requested { texts = pages.fetch(NAMES) }
    assert_equal %w[/info/gem8], paths.grep(%r{/info/})
    assert_match(/^1.1 /, texts["gem8"])
    assert_equal %w[/versions], requested { pages.fetch(NAMES) }
  end

  def test_unknown_gems_and_names_that_are_paths
    texts = pages.fetch(%w[gem1 unknown ../../escape])
    assert_equal [nil, nil], texts.values_at("unknown", "../../escape")
    assert_empty Dir.glob("#{folder}/**/*escape*")
  end

  def test_damaged_checksums_are_made_again
    pages.fetch(NAMES)
    @source.add("gem7", "1.1")
    pages.fetch(NAMES)
    file = Dir.glob("#{folder}/home/index/*/versions-md5").first
    ["", "spate-checksums 1 99999999 00000000\n"].each_with_index do |text, number|
      File.write(file, text)
      @source.add("gem9", "1.#{number + 1}")
      assert_equal %w[/info/gem9], requested { pages.fetch(NAMES) }.grep(%r{/info/})
    end
  end

  def test_offline
    pages.fetch(NAMES)
    assert_empty(requested { assert_match(/^1.0 /, pages(offline: true).fetch(NAMES)["gem7"]) })
  end
end
