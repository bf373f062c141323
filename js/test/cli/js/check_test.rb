# frozen_string_literal: true

require "cli/js/js_case"
require "json"

class JSCheckTest < JSCase
  Check = Spate::JS::Restore::Check

  def check(count, *options, total: 1356)
    differences = Array.new(count) { |number| Check::Difference.new("node_modules/p#{number}", :missing) }
    of(*differences, options: options, total: total)
  end

  def of(*differences, options: [], total: 2)
    result = nil
    found = Check::Result.new(differences, total)
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
      hint: spate js --restore p0,p1
    TEXT
    assert_equal "hint: spate js --restore all\n", check(6).err.lines.last
    assert_equal "  5 more: --verbose lists them\n", check(25).err.lines[-2]
    assert_equal 27, check(25, "--verbose").err.lines.length
  end

  # The command in the hint, pasted into a shell, restores the files.
  def test_hint_is_a_command_that_restores_the_files
    { "node_modules/a/index.js" => "a", "node_modules/a/node_modules/@b/c/x.js" => "@b/c",
      "node_modules/.bin/x" => "all",
      "node_modules/.pnpm/a@1.0.0/node_modules/a/x" => "a", "node_modules/@b" => "all",
      "node_modules/.package-lock.json" => "all" }.each do |path, names|
      assert_equal "hint: spate js --restore #{names}\n", of(Check::Difference.new(path, :missing)).err.lines.last, path
    end
    link = Check::Difference.new("node_modules/a", :changed, "../b", "../c")
    [link, Check::Difference.new("node_modules/a", :stray)].each do |difference|
      assert_equal "hint: spate js --restore all\n", of(difference).err.lines.last
    end
    assert_equal "hint: spate js --restore a\n",
                 of(Check::Difference.new("node_modules/a/x", :stray)).err.lines.last
  end

  def test_files_that_scripts_may_have_made_are_listed
    made = ["node_modules/esbuild/bin/esbuild", "node_modules/@s/p/x"]
    found = Check::Result.new([], 2, [], %w[@s/p@1.0.0 esbuild@0.21.5], made)
    result = nil
    restoring(found, method: :check) { result = spate("js", "check", dir: app) }

    assert_equal [0, "", <<~TEXT], result.to_a
      node_modules is complete: 2 packages
      scripts may change files of @s/p@1.0.0, esbuild@0.21.5: differences there are not errors
        node_modules/esbuild/bin/esbuild differs from the package's archive; a script may have changed it
        node_modules/@s/p/x differs from the package's archive; a script may have changed it
      hint: spate js --restore esbuild,@s/p
    TEXT
  end

  # If another tool restored the project, Spate checks only the tool's state files and folders.
  def test_checks_only_the_state_of_another_tool
    FileUtils.rm(app("package-lock.json"))
    write("app/yarn.lock", "# yarn lockfile v1\n")
    there, gone = [0, 1].map { |count| check(count, total: nil) }

    assert_equal [0, <<~TEXT], there.to_a.values_at(0, 2)
      node_modules is unchanged since yarn ran, judging by its state files and folders
      hint: to check each file: yarn check --integrity, or yarn install --check-files
    TEXT
    assert_equal 11, gone.status
    assert_match(/^error: node_modules has changed since yarn ran/, gone.err)
    assert_equal [true, nil, "yarn"],
                 JSON.parse(check(0, "--json", total: nil).out).values_at("ok", "total", "handed_over")
  end

  def test_json
    result = check(2, "--json")
    events = result.out.lines.map { |line| JSON.parse(line) }

    assert_equal 11, result.status
    assert_equal %w[js_difference js_difference js_checked], events.map { |event| event["event"] }
    assert_equal [false, 1356, 2, nil], events.last.values_at("ok", "total", "differences", "handed_over")
  end
end
