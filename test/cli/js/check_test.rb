# frozen_string_literal: true

require "cli/js/js_case"
require "json"

class JSCheckTest < JSCase
  Difference = Struct.new(:path, :kind) do
    def to_s = "#{path} is #{kind}"
  end
  Result = Struct.new(:total, :differences) do
    def ok? = differences.empty?
  end

  def check(count, *options)
    differences = Array.new(count) { |number| Difference.new("node_modules/p#{number}", "missing") }
    result = nil
    found = Result.new(@total || 1356, differences)
    restoring(found, method: :check) { result = spate("js", "check", *options, dir: app) }
    result
  end

  def test_complete
    assert_equal [0, "", "node_modules is complete: 1,356 packages\n"], check(0).to_a
  end

  def test_differences
    assert_equal [11, "", <<~TEXT], check(2).to_a
      error: node_modules differs from its lockfile in 2 places
        node_modules/p0 is missing
        node_modules/p1 is missing
      hint: spate js --restore all
    TEXT
    assert_equal "  5 more: --verbose names them\n", check(25).err.lines[-2]
    assert_equal 27, check(25, "--verbose").err.lines.length
  end

  # Nobody looks at packages there.
  def test_of_a_tool_only_what_it_left_is_told
    FileUtils.rm(app("package-lock.json"))
    write("app/yarn.lock", "# yarn lockfile v1\n")
    @total = 0
    there, gone = [0, 1].map { |count| check(count) }

    assert_equal [0, <<~TEXT], there.to_a.values_at(0, 2)
      node_modules is as yarn left it, by its own state and folders; no file was looked at
      hint: to be sure: yarn check --integrity, or yarn install --check-files
    TEXT
    assert_equal 11, gone.status
    assert_match(/^error: node_modules is not as yarn left it/, gone.err)
  end

  def test_json
    result = check(2, "--json")
    events = result.out.lines.map { |line| JSON.parse(line) }

    assert_equal 11, result.status
    assert_equal %w[js_difference js_difference js_checked], events.map { |event| event["event"] }
    assert_equal [false, 1356, 2], events.last.values_at("ok", "total", "differences")
  end
end
