# frozen_string_literal: true

require "test_helper"
require "support/browser"

# The documents as a site (`rake site`). Every link must resolve, and a browser must be able to open the files.
class SiteTest < Minitest::Test
  ROOT = File.expand_path("../..", __dir__)
  LINK = /<a [^>]*href="([^"]*)"/
  LINK_TO = "[...document.querySelectorAll('nav a')].find(a => a.textContent == 'Booting with Spate').href"
  ADDRESS = /\A[a-z]+:/

  def setup
    super
    require "kramdown-parser-gfm"
    require_relative "../../rakelib/site"
  rescue LoadError => e
    skip "no kramdown for this Ruby: #{e.message}"
  end

  def test_every_link_leads_to_something
    write_site
    pages = Dir["#{site}/**/*.html"].to_h { |path| [path, File.read(path, encoding: "UTF-8")] }
    links = pages.flat_map { |path, text| text.scan(LINK).flatten.grep_v(ADDRESS).map { |link| [path, link] } }

    assert_operator links.size, :>, 1_000
    assert_empty(links.uniq.reject { |path, link| leads?(path, link, pages) })
  end

  def test_every_document_is_a_page
    documents = Dir.glob(%w[*.md {docs,server,bytes,js}/**/*.md], base: ROOT).grep_v(%r{/test/})

    assert_empty documents - Site.new(ROOT, site).pages.keys
  end

  def test_a_link_to_nothing_is_refused
    %w[README.md docs/boot.md].each { |path| write("made/#{path}", "# Title\n\n[there](missing.md)\n") }

    error = assert_raises(Site::Broken) { Site.new("#{folder}/made", site).write }
    assert_match(/README.md links to missing.md/, error.message)
  end

  def test_a_folder_with_something_else_is_left_alone
    write("site/mine.md", "# Mine\n")

    assert_raises(Site::Occupied) { write_site }
    assert_path_exists "#{site}/mine.md"
  end

  def test_a_browser_reads_it_from_files
    skip "no Chromium on the PATH" unless Spate::Browser.program
    write_site
    Spate::Browser.open do |browser|
      browser.visit("file://#{site}/index.html")
      browser.visit(browser.evaluate(LINK_TO))

      assert_match(%r{\Afile://.*/docs/boot.html\z}, browser.evaluate("location.href"))
      assert_equal "Booting with Spate", browser.evaluate("document.querySelector('main h1').textContent")
      assert_equal "Booting with Spate", browser.evaluate("document.querySelector('nav [aria-current]').textContent")
      assert_empty browser.problems
      assert_equal 1, browser.requests.size
    end
  end

  private

  def site = "#{folder}/site"
  def write_site = Site.new(ROOT, site).write

  def leads?(path, link, pages)
    place, part = link.split("#", 2)
    target = place.empty? ? path : File.expand_path(place, File.dirname(path))
    return false unless File.file?(target)

    part.nil? || !pages.key?(target) || pages[target].include?(%(id="#{part}"))
  end
end
