# frozen_string_literal: true

require "test_helper"
require_relative "../../../test/support/browser"
require "support/profiled"

module Spate
  module Server
    # Profile::Page: the HTML page of a profile works in a browser that opens it as a file.
    class ProfilePageTest < Minitest::Test
      include Profiled

      def setup
        skip "no Chromium: install Debian's chromium-headless-shell" unless Browser.program
      end

      def open(recording = known)
        path = File.join(folder, "page.html")
        File.write(path, Profile::Page.new(recording).to_s)
        Browser.open do |browser|
          @browser = browser
          browser.visit("file://#{path}")
          yield
          assert_empty browser.problems
          assert_equal ["file://#{path}"], browser.requests.map { |one| one["request"]["url"] }.grep_v(/\Adata:/)
        end
      end

      def evaluate(expression) = @browser.evaluate(expression)
      def text(id) = evaluate("document.getElementById('#{id}').textContent")
      def focus = evaluate("document.getElementById('flames').dataset.focus")

      def search(words)
        evaluate("document.getElementById('search').focus()")
        words.each_char { |char| @browser.key(char, text: char) }
      end

      def test_content_of_the_page
        open do
          rows = evaluate("[...document.querySelectorAll('#top tbody tr')].map((row) => " \
                          "[...row.children].map((cell) => cell.textContent))")

          assert_equal ["4.0 ms", "4.0 ms", "40.0 %", "App#<b>&</script>", "/x/gems/odd-1.0/lib/odd.rb:5"],
                       rows[0].reject(&:empty?)
          assert_equal %w[App#work IO#wait], rows.map { |row| row[4] }.values_at(1, 3)
          assert_equal 0, evaluate("document.querySelectorAll('main b b').length")
          assert_match(/10\.0 ms.*10 samples by stackprof/, text("runs"))
          colors = evaluate("(() => { const c = document.querySelector('canvas'); return new Set(new Uint32Array(" \
                            "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size; })()")

          assert_operator colors, :>, 5
        end
      end

      # The first path is that of a gem of a Ruby below /opt.
      def test_files_belong_to_their_gems_and_not_to_the_folder_of_a_ruby
        { "/opt/lib/ruby/gems/4.0.0/gems/rack-3.1.8/lib/rack.rb" => "rack-3.1.8",
          "/opt/lib/ruby/4.0.0/set.rb" => "Ruby",
          "/app/vendor/bundle/ruby/4.0.0/bundler/gems/own-0a1b2c/lib/own.rb" => "own-0a1b2c",
          "/app/lib/gems/main.rb" => "application" }.each do |path, owner|
          frames = known(odd: path).to_h[:frames]

          assert_equal owner, frames.find { |_, other| other == path }[3], path
        end
      end

      def test_each_kind_of_the_legend_has_a_color_of_its_own
        open(known(gc: { runs: 1, milliseconds: 2, objects: 1 })) do
          colors = evaluate("[...document.querySelectorAll('#legend .swatch')].map((one) => one.style.background)")

          assert_operator colors.size, :>, 3
          assert_equal colors.uniq, colors
          assert_includes text("runs"), "1 garbage collection in 2 ms, 1 object allocated"
        end
      end

      def test_search
        open do
          search("work")

          assert_equal "1 found, in 3.0 ms (30.0 %)", text("found")
          @browser.key("Escape")

          assert_equal "", text("found")
          search("main.rb")

          assert_equal "1 found, in 4.0 ms (40.0 %)", text("found")
          @browser.key("Escape")
          search("odd-1.0")

          assert_equal "1 found, in 4.0 ms (40.0 %)", text("found")
        end
      end

      def test_zoom_by_keys_and_mouse
        open do
          @browser.key("ArrowDown")
          @browser.key("ArrowDown")
          @browser.key("Enter")

          assert_includes ["main", "App#<b>&</script>"], focus
          @browser.key("Escape")

          assert_equal "all", focus
          click(0.05, 45)

          refute_equal "all", focus
          assert_match(/own .* total/, text("detail"))
          @browser.key("-", text: "-")
          @browser.key("0", text: "0")

          assert_equal "all", focus
        end
      end

      def click(share, top)
        left, upper, width = evaluate("(() => { const r = document.querySelector('canvas').getBoundingClientRect(); " \
                                      "return [r.left, r.top, r.width]; })()")
        @browser.mouse("mousePressed", left + (width * share), upper + top, button: "left", clickCount: 1)
        @browser.mouse("mouseReleased", left + (width * share), upper + top, button: "left", clickCount: 1)
      end

      def test_bottom_up_view
        open do
          @browser.key("i", text: "i")

          assert_equal "true", evaluate("document.getElementById('flames').dataset.inverted")
          @browser.key("ArrowDown")
          @browser.key("Enter")

          assert_equal "App#<b>&</script>", focus
        end
      end

      def test_tooltip_and_dark_mode
        open do
          left, upper = evaluate("(() => { const r = document.querySelector('canvas').getBoundingClientRect(); " \
                                 "return [r.left, r.top]; })()")
          @browser.mouse("mouseMoved", left + 60, upper + 27)

          assert_match(/own .*, total/, text("tip"))
          light = evaluate("getComputedStyle(document.body).backgroundColor")
          @browser.emulate(prefers_color_scheme: "dark")
          evaluate("new Promise((done) => requestAnimationFrame(() => done(1)))")

          refute_equal light, evaluate("getComputedStyle(document.body).backgroundColor")
        end
      end
    end
  end
end
