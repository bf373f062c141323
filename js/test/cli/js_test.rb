# frozen_string_literal: true

require "cli/js/js_case"
require "json"

# The options, output and errors of `spate js`, with a fake restore.
class JSTest < JSCase
  def test_prints_the_summary_of_a_restore
    said = nil
    restoring(report(total: 1356, fetched: 14, fetched_bytes: 9_123_456, from_store: 1340, seconds: 3.42)) do
      said = spate("js", dir: app)
    end
    assert_equal [0, "", "1,356 packages in 3.4 s: 14 from the network (9.1 MB), 1,340 from the store\n"], said.to_a
  end

  def test_prints_that_packages_are_in_place
    restoring(report(total: 1, seconds: 0.01, noop: true)) do
      assert_equal "1 package in place, nothing to do (0.01 s)\n", spate("js", "install", dir: app).err
      assert_empty spate("js", "--quiet", dir: app).err
    end
  end

  def test_project_is_found_in_a_parent_folder
    FileUtils.mkdir_p(app("src/deep"))
    calls = restoring(report) { spate("js", dir: app("src/deep")) }

    assert_equal [app], calls.map { |given| given[:root] }.map { |root| File.realpath(root) }
    result = spate("js", dir: "/")
    assert_equal [2, "error: neither / nor a folder above it has a package.json\n" \
                     "hint: run the command in the project's folder\n"],
                 result.to_a.values_at(0, 2)
  end

  def test_options_reach_the_restore
    calls = restoring(report) do
      spate("js", "--omit", "dev,optional", "--ignore-scripts", "--no-global-virtual-store", "--copy", "--local", "-j2",
            "--store", "#{folder}/store", dir: app)
    end
    options = calls.first[:options]

    assert_equal [%w[dev optional], true, false, true, true, 2],
                 options.to_h.values_at(:omit, :ignore_scripts, :global_virtual_store, :copy, :local, :jobs)
    assert_equal "#{folder}/store", calls.first[:store].home
    assert_equal "#{folder}/store", calls.first[:env]["SPATE_HOME"]
  end

  def test_an_install_without_a_gemfile
    calls = restoring(report(total: 3, from_store: 3)) do
      result = spate("install", "--js", "--copy", dir: app)
      assert_equal [0, "3 packages in 0.00 s: 3 from the store\n"], result.to_a.values_at(0, 2)
    end
    assert calls.first[:options].copy
    refute_path_exists app(".bundle")
    assert_equal 2, spate("install", "--js", dir: folder).status
    assert_match(/no Gemfile.*for packages of package.json: spate js$/m, spate("install", dir: app).err)
  end

  def test_install_names_the_command_that_has_the_option
    { "--omit=dev" => "--omit TYPES", "--restore" => "--restore NAMES", "--ignore-scripts" => "--ignore-scripts" }
      .each do |word, hint|
      assert_equal [2, "error: unknown option #{word[/[^=]+/]}\n" \
                       "hint: this is an option of `spate js`: spate install, then spate js #{hint}\n"],
                   spate("install", "--js", word, dir: app).to_a.values_at(0, 2)
    end
  end

  def test_unsupported_option
    restoring(report) do
      %w[--global-virtual-store --no-global-virtual-store].each do |option|
        assert_match(/warning: #{option} has no effect: npm/, spate("js", option, dir: app).err)
      end
      refute_match(/warning/, spate("js", dir: app).err)
    end
  end

  def test_unwritable_page_is_reported_before_the_restore
    calls = restoring(report) do
      said = spate("js", "--timeline", "#{folder}/nodir/page.html", dir: app)

      assert_equal [2, "error: --timeline: cannot write to #{folder}/nodir/page.html: no such directory: " \
                       "#{folder}/nodir\nhint: name a file in an existing folder: --timeline page.html\n"],
                   said.to_a.values_at(0, 2)
      assert_match(/it is a directory/, spate("js", "--timeline", folder, dir: app).err)
    end

    assert_empty calls
  end

  def test_unknown_kinds
    assert_equal [2, "error: --omit: \"development\" is not one of dev, optional, peer\nhint: spate js --omit dev\n"],
                 spate("js", "--omit", "development", dir: app).to_a.values_at(0, 2)
  end

  def test_json
    answer = lambda do |given|
      given[:events].emit(:js_plan, total: 2, fetch: 1)
      report(total: 2, fetched: 1)
    end
    said = nil
    restoring(answer) { said = spate("js", "--json", dir: app) }
    events = said.out.lines.map { |line| JSON.parse(line) }

    assert_equal %w[js_plan js_done], events.map { |event| event["event"] }
    assert_equal [2, 1, "npm", false], events.last.values_at("total", "fetched", "tool", "noop")
  end

  def test_another_tool
    answer = lambda do |given|
      given[:events].emit(:js_tool_start, tool: "yarn", command: "yarn install --immutable", reasons: [])
      report(tool: "yarn", handed_over: "its lockfile is yarn's", seconds: 2)
    end
    said = nil
    restoring(answer) { said = spate("js", dir: app) }
    assert_equal "running `yarn install --immutable`\npackages by yarn in 2.0 s\n", said.err
    restoring(answer) { said = spate("js", "--json", dir: app) }

    assert_equal [nil, "yarn"], JSON.parse(said.out.lines.last).values_at("total", "tool")
  end

  def test_an_error_is_printed_once_with_its_exit_code
    restoring(->(_) { raise Spate::JS::LockfileError.new("package-lock.json: no", hint: "npm install") }) do
      assert_equal [3, "", "error: package-lock.json: no\nhint: npm install\n"], spate("js", dir: app).to_a
    end
  end
end
