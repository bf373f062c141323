# frozen_string_literal: true

require "cli/js/js_case"
require "json"
require "support/browser"

# The page that `spate js --timeline` writes: when it is written, and how it behaves in a browser.
class TimelinePageTest < JSCase
  # A run with 1,500 packages. core-js is extracted last.
  EVENTS = lambda do |given|
    events = given[:events]
    events.emit(:js_plan, total: 1500, fetch: 1500)
    1499.times do |number|
      name = "package-#{number}@1.0.0"
      events.emit(:js_fetch_start, name: name)
      events.emit(:js_fetch_done, name: name, bytes: 1000 + number)
      events.emit(:js_unpacked, name: name, files: 3, bytes: 3000, seconds: 0.000_01)
      events.emit(:js_script_start, name: name)
      events.emit(:js_script_done, name: name, seconds: 0, cached: false)
    end
    sleep 0.3
    events.emit(:js_unpacked, name: "core-js@3.8.3", files: 3745, bytes: 9_000_000, seconds: 0.1)
    events.emit(:js_link_done, total: 1500, seconds: 0.05)
  end

  def page = File.join(folder, "page.html")

  def write_page(*options, does: EVENTS)
    result = nil
    answer = lambda do |given|
      does.call(given)
      report(total: 1500, fetched: 1500, fetched_bytes: 9_000_000, seconds: 0.4)
    end
    restoring(answer) { result = spate("js", "--timeline", page, *options, dir: app) }
    result
  end

  def open(**features)
    skip "no Chromium: install Debian's chromium-headless-shell" unless Spate::Browser.program
    Spate::Browser.open do |browser|
      @browser = browser
      browser.emulate(prefers_reduced_motion: "reduce", **features)
      browser.visit("file://#{page}")
      settle
      yield
      assert_empty browser.problems
    end
  end

  def evaluate(expression) = @browser.evaluate(expression)
  def settle = evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
  def text(id) = evaluate("document.getElementById('#{id}').textContent")
  def width = evaluate("Number(byId('charts').dataset.to) - Number(byId('charts').dataset.from)")

  # Returns a point within a span on the screen, in pixels: [left, top].
  def spot(name, phase)
    evaluate("(() => { const c = charts[0]; c.canvas.scrollIntoView({ block: 'center' }); " \
             "const s = main.spans.find((x) => x.name === '#{name}' && x.phase === '#{phase}'); " \
             "const r = c.canvas.getBoundingClientRect(); const k = (r.width - GUTTER - 14) / (view.to - view.from); " \
             "const at = s.start + s.seconds / 2 - view.from; " \
             "return [r.left + GUTTER + at * k, r.top + main.rows[s.lane].top + 3]; })()")
  end

  def mouse(kind, left, top, **more) = @browser.mouse(kind, left, top, **more)

  def click(left, top)
    %w[mousePressed mouseReleased].each { |kind| mouse(kind, left, top, button: "left", clickCount: 1) }
  end

  def test_page_is_written_and_its_path_printed
    result = write_page

    assert_equal "timeline: #{page}\n", result.err.lines[-2]
    assert_equal({ "event" => "timeline", "page" => page }, JSON.parse(write_page("--json").out.lines[-2]))
    refute_match(%r{https?://|src=|@import}, File.read(page))
  end

  def test_the_page_as_it_opens
    write_page
    open do
      assert_match(/\AThe last 1\d\d ms of unpacking were core-js@3.8.3 alone/, text("tail"))
      assert_match(/Dashed lines: packages known at [\d.]+ ms\./, text("phases"))
      assert_includes text("runs"), "1,500 packages in 0.40 s: 1,500 from the network (9.0 MB)"
      assert_equal %w[fetched unpacked linked built], evaluate("[...document.querySelectorAll('#legend button')]" \
                                                               ".map((b) => b.textContent)")
      assert_equal "core-js@3.8.3",
                   evaluate("document.querySelector('[aria-label=\"Longest unpacked\"] .name').textContent")
      colors = "new Set(new Uint32Array(charts[0].canvas.getContext('2d').getImageData(0, 0, charts[0].canvas.width, " \
               "charts[0].canvas.height).data.buffer)).size"
      assert_operator evaluate(colors), :>, 10
    end
  end

  # A short restore spends most of its time before the first package. The page names that phase, and hides the empty
  # section of the longest spans.
  def test_time_before_the_first_package_is_named_and_an_empty_section_is_hidden
    linking = lambda do |given|
      sleep 0.05 # long enough to be displayed
      given[:events].emit(:js_link_done, total: 1, seconds: 0.001)
    end
    write_page(does: linking)
    open do
      assert_match(/Planning \([^)]+\): the first \d/, text("phases"))
      assert evaluate("byId('longest').parentElement.hidden")
    end
    write_page
    open { refute evaluate("byId('longest').parentElement.hidden") }
  end

  def test_makes_no_requests
    write_page
    open do
      assert_equal "refused", evaluate("fetch('http://localhost:1/').catch(() => 'refused')")
      urls = @browser.requests.map { |request| request["request"]["url"] }
      assert_equal ["file://#{page}"], urls.grep_v(/\Adata:/)
      @browser.problems.clear # the browser reports the refused request
    end
  end

  # Counts the drawn boxes instead of measuring time. Spans narrower than a pixel are merged.
  def test_thousands_of_spans_are_drawn_as_few_boxes
    write_page
    open do
      boxes = evaluate("(() => { let count = 0; const all = CanvasRenderingContext2D.prototype; " \
                       "const real = all.fillRect; " \
                       "all.fillRect = function (...given) { count += 1; real.apply(this, given); }; " \
                       "charts.forEach(paint); return count; })()")
      assert_equal 4499, evaluate("main.spans.length")
      assert_operator boxes, :<, 3000
    end
  end

  def test_zoom_by_keys_mouse_and_buttons
    write_page
    open do
      whole = width
      @browser.key("+", text: "+")
      assert_in_delta 0.7, width / whole, 0.01
      @browser.key("ArrowRight")
      assert_operator evaluate("view.from"), :>, whole * 0.15
      @browser.key("0", text: "0")
      assert_in_delta whole, width
      left, top = spot("core-js@3.8.3", "unpack")
      mouse("mouseWheel", left, top, deltaX: 0, deltaY: -120)
      settle
      assert_in_delta 0.8, width / whole, 0.01
      evaluate("byId('out').click(); byId('reset').click()")
      assert_in_delta whole, width
    end
  end

  def test_hover_and_click_show_details_of_a_package
    write_page
    open do
      left, top = spot("core-js@3.8.3", "unpack")
      mouse("mouseMoved", left, top)
      assert_match(/\Acore-js@3.8.3\nunpacked in 1\d\d ms · 9.0 MB, 3,745 files\n/, text("tip"))
      click(left, top)
      assert_match(/\Acore-js@3.8.3 packageunpacked in 1\d\d ms, from .* \(9.0 MB, 3,745 files\)\z/, text("detail"))
      @browser.key("Enter")
      assert_operator width, :<, evaluate("whole")
    end
  end

  def test_by_keyboard_alone
    write_page
    open do
      @browser.key("/", text: "/")
      assert_equal "search", evaluate("document.activeElement.id")
      "package-12@".each_char { |char| @browser.key(char, text: char) }
      assert_match(/\A1 found, .* of work\z/, text("found"))
      @browser.key("Escape")
      @browser.key("ArrowDown")
      assert_match(/\Apackage-12@1.0.0 package.*fetched in .*; unpacked in .*built in /, text("detail"))
    end
  end

  def test_phases_can_be_hidden
    write_page
    open do
      height = evaluate("charts[0].height")
      evaluate("document.querySelector('#legend button').click()")
      assert_operator evaluate("charts[0].height"), :<, height
      assert_equal "false", evaluate("document.querySelector('#legend button').getAttribute('aria-pressed')")
    end
  end

  def test_controls_have_accessible_names
    write_page
    open do
      unnamed = "[...document.querySelectorAll('button, input, canvas, [role=img]')].filter((e) => " \
                "!(e.getAttribute('aria-label') || e.textContent.trim())).length"
      assert_equal 0, evaluate(unnamed)
      assert_match(/\ATimeline of spate js, .*: fetched 1,499 times from .*unpacked 1,500 times/,
                   evaluate("charts[0].canvas.getAttribute('aria-label')"))
    end
  end

  def test_dark_light_and_motion
    write_page
    open(prefers_color_scheme: "dark") do
      assert_equal "dark", evaluate("document.documentElement.dataset.theme")
      evaluate("byId('theme').click()")
      assert_equal "rgb(251, 251, 250)", evaluate("getComputedStyle(document.body).backgroundColor")
      @browser.emulate(prefers_reduced_motion: "no-preference")
      whole = width
      @browser.key("+", text: "+")
      evaluate("new Promise((done) => setTimeout(done, 400))")
      assert_in_delta 0.7, width / whole, 0.01
    end
  end

  def test_two_runs_side_by_side
    write_page("--serial")
    File.rename(page, "#{folder}/serial.html")
    slower = write_page("--against", "#{folder}/serial.html")

    assert_equal 0, slower.status, slower.err
    open do
      assert_equal ["spate js --serial", "spate js"],
                   evaluate("[...document.querySelectorAll('.run code')].map((e) => e.textContent)")
      assert_match(/[\d.]+ times as fast, on \d+ processors?\. The tail: .*core-js@3.8.3 alone\) against/,
                   text("comparison"))
      assert_equal "core-js@3.8.3", evaluate("document.querySelector('#comparison td').textContent")
    end
  end

  def test_an_empty_run_has_a_page_too
    write_page(does: ->(_) {})
    open do
      assert_equal ["Nothing was done.", ""], [text("phases"), text("tail")]
    end
  end

  def test_hostile_names_stay_text
    write_page(does: lambda { |given|
      given[:events].emit(:js_unpacked, name: "</script><img src=x onerror=alert(1)>", files: 1, bytes: 1, seconds: 0.1)
    })
    open { assert_equal 0, evaluate("document.querySelectorAll('img').length") }
  end

  def test_invalid_pages_and_options
    write("other.html", "<html></html>")
    { %W[--timeline #{page} --against #{folder}/other.html] => /other.html was not written by --timeline/,
      %W[--timeline #{page} --against #{folder}/none.html] => /none.html was not written by --timeline/,
      %w[--serial] => /--serial needs --timeline/, %W[--against #{page}] => /--against needs --timeline/ }
      .each do |options, message|
        result = spate("js", *options, dir: app)
        assert_equal 2, result.status
        assert_match message, result.err
      end
  end
end
