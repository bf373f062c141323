# frozen_string_literal: true

require "profile/profile_case"
require "support/browser"

module Spate
  # The profile page in a browser: its content, and that it sends no request.
  class ProfilePageTest < ProfileCase
    # The page of one comparison, which all tests use.
    MADE = {} # rubocop:disable Style/MutableConstant

    def setup
      skip "no Chromium: install Debian's chromium-headless-shell" unless Browser.program
      return write("spate-profile.html", MADE[:page]) if MADE[:page]

      super
      profile("--compare", "plain")
      write("spate-profile.html", MADE[:page] = File.read(project.path("spate-profile.html")))
    end

    def page = "file://#{folder}/spate-profile.html"

    def open(page = self.page)
      Browser.open do |browser|
        browser.visit(page)
        @browser = browser
        yield
      end
    end

    def evaluate(expression) = @browser.evaluate(expression)

    def range = evaluate("[Number(document.getElementById('flames').dataset.from), " \
                         "Number(document.getElementById('flames').dataset.to)]")

    def width = range.then { |from, to| to - from }

    # The position of a point on the first timeline. share: of its width; top: pixels from its top.
    def spot(share, top)
      area = evaluate("(() => { const c = document.querySelector('canvas'); c.scrollIntoView({ block: 'start' }); " \
                      "const r = c.getBoundingClientRect(); return [r.left, r.top, r.width]; })()")
      [area[0] + (area[2] * share), area[1] + top]
    end

    def settle = evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def test_the_page_as_it_opens
      open do
        assert_includes evaluate("[...document.querySelectorAll('#gems tbody td')].map((e) => e.textContent)"),
                        "slow-gem-1.0"
        assert_equal 2, evaluate("document.querySelectorAll('canvas').length")
        assert_equal ["spate exec", "bundle exec"],
                     evaluate("[...document.querySelectorAll('.run .soft:first-child')].map((e) => e.textContent)")
        assert_match(/garbage collection/, evaluate("document.getElementById('shares').textContent"))
        drawn = "[...document.querySelectorAll('canvas')].map((c) => new Set(new Uint32Array(" \
                "c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)).size)"
        assert(evaluate(drawn).all? { |colors| colors > 5 })
      end
    end

    def test_page_sends_no_request_and_logs_no_error
      open do
        settle
        evaluate("fetch('http://localhost:1/').catch(() => 'refused')").then { |answer| assert_equal "refused", answer }
        urls = @browser.requests.map { |request| request["request"]["url"] }

        assert_equal [page], urls.grep_v(/\Adata:/)
      end
      open do
        settle
        assert_empty @browser.problems
      end
    end

    def test_zoom_by_keys_and_mouse
      open do
        whole = width
        @browser.key("+", text: "+")
        assert_in_delta whole * 0.7, width, 2
        @browser.key("ArrowRight")
        moved = range.first
        assert_operator moved, :>, whole * 0.15
        @browser.key("0", text: "0")
        assert_equal whole, width

        left, top = spot(0.5, 30)
        @browser.mouse("mouseWheel", left, top, deltaX: 0, deltaY: -120)
        settle
        assert_in_delta whole * 0.8, width, 2
        evaluate("document.getElementById('reset').click()")
        assert_equal whole, width
      end
    end

    def test_click_zooms_to_a_frame_and_shows_its_details
      open do
        whole = width
        share = evaluate("(() => { const f = flames[0].frames.find((f) => (f.path || '').endsWith('/slow_gem.rb')); " \
                         "return [(f.start + f.wall / 2) / whole, (f.depth + 1.5) * ROW]; })()")
        left, top = spot(*share)
        %w[mousePressed mouseReleased].each { |kind| @browser.mouse(kind, left, top, button: "left", clickCount: 1) }
        settle

        assert_operator width, :<, whole
        assert_match(/slow-gem-1.0.*own/, evaluate("document.getElementById('detail').textContent"))
        @browser.key("ArrowDown")
        assert_match(/greedy/, evaluate("document.getElementById('detail').textContent"))
        @browser.key("Escape")
        assert_equal whole, width
      end
    end

    def test_search
      open do
        evaluate("(() => { const s = document.getElementById('search'); s.value = 'greedy'; " \
                 "s.dispatchEvent(new Event('input')); })()")
        assert_match(/\A2 found, [\d.]+ m?s of their own\z/, evaluate("document.getElementById('found').textContent"))
      end
    end

    def test_dark_and_light
      open do
        @browser.emulate(prefers_color_scheme: "dark")
        settle
        assert_equal "dark", evaluate("document.documentElement.dataset.theme")
        evaluate("document.getElementById('theme').click()")
        assert_equal "rgb(255, 255, 255)", evaluate("getComputedStyle(document.body).backgroundColor")
      end
    end

    def test_hostile_names_stay_text
      ProfileCase.instance_method(:setup).bind_call(self)
      write("app/program.rb", "#!/usr/bin/env ruby\nbegin\nrequire '</script><img src=x onerror=alert(1)>'\n" \
                              "rescue LoadError\nend\nload '<b>.rb'\n", mode: 0o755)
      write("app/<b>.rb", "nil\n")
      profile
      open("file://#{project.path("spate-profile.html")}") do
        assert_equal 0, evaluate("document.querySelectorAll('img, td b').length")
        assert_empty @browser.problems
      end
    end
  end
end
