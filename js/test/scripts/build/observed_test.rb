# frozen_string_literal: true

require_relative "../scripts_case"

# The result of a script in one project is reused in another. If the script used something that is different there, such
# as another package, a file of the project or its path, it runs again.
class JSScriptsBuildObservedTest < Minitest::Test
  include JSScriptsCase

  PEER = "try { require('peer'); console.log('with') } catch { console.log('without') }"

  def setup
    super
    skip "tracing is not available" unless Spate::Tracer.available? == true
  end

  def test_a_script_without_inputs
    assert_equal %w[x x], made("echo x")
    assert_equal [0, 1], @count.to_a
  end

  def test_missing_package
    assert_equal(%w[without with], made("node -e \"#{PEER}\"") { add("peer", files: { "index.js" => "" }) })
  end

  def test_missing_nested_package
    nested = "node_modules/one/node_modules/peer"

    assert_equal(%w[without with], made("node -e \"#{PEER}\"") do
      add("peer", path: nested, files: { "index.js" => "" })
    end)
  end

  def test_another_version_of_a_nested_package
    nested = "node_modules/one/node_modules/two"
    add_nested = ->(content) { add("two", path: nested, files: { "version" => content }) }

    assert_equal(%w[1 2], made("cat node_modules/two/version", -> { add_nested["1"] }) { add_nested["2"] })
  end

  def test_existence_of_a_file_of_the_project
    assert_equal(%w[no yes], made("[ -e ../../conf ] && echo yes || echo no") { write("conf") })
  end

  def test_the_mode_of_a_file_of_the_project
    assert_equal(%w[no yes], made("[ -x ../../conf ] && echo yes || echo no", -> { write("conf") }) do
      write("conf", mode: 0o755)
    end)
  end

  def test_the_names_in_a_folder_of_the_project
    assert_equal(%w[a b], made("ls ../../folder", -> { write("folder/a") }) { write("folder/b") })
  end

  def test_path_of_the_project
    ["pwd", "echo $INIT_CWD", "echo $npm_config_local_prefix", "node -p 'JSON.stringify(__dirname)'"].each do |text|
      one, other = made(text)

      refute_includes other, "#{@base}/app", text
      refute_equal [0, 1], @count.to_a if one.include?("#{@base}/app")
    end
  end

  def test_part_of_the_path_of_the_project
    assert_equal %w[app another], made("basename $INIT_CWD")
    assert_equal %w[app another], made("node -p \"require('path').basename(process.env.npm_config_local_prefix)\"")
  end

  def test_a_variable_of_the_session_that_is_in_the_result
    assert_equal(%w[:one.0 :two.0], made("echo $DISPLAY", -> { @env["DISPLAY"] = ":one.0" }) do
      @env["DISPLAY"] = ":two.0"
    end)
    assert_equal(%w[x x], made("echo x", -> { @env["DISPLAY"] = ":one.0" }) { @env["DISPLAY"] = ":two.0" })
    assert_equal [0, 1], @count.to_a
  end

  def test_writes_into_a_nested_package
    inner = -> { add("two", path: "node_modules/one/node_modules/two", files: { "x" => "" }) }
    made("echo x > node_modules/two/written", inner) { inner.call }

    assert_path_exists "#{@root}/node_modules/one/node_modules/two/written"
  end

  def test_link_to_the_project
    made("ln -s $PWD/package.json link")

    assert_equal "#{@root}/node_modules/one/package.json", File.readlink("#{@root}/node_modules/one/link")
  end

  private

  # The result of the script in two projects. Calls the block before the second run.
  def made(text, first = nil, &second)
    [["app", first], ["another", second]].map do |name, before|
      @root = "#{@base}/#{name}"
      @trees = []
      FileUtils.rm_rf("#{@root}/node_modules")
      manifest(allowScripts: { one: true })
      before&.call
      add("one", "1.0.0", { install: "{ #{text} ; } > made" })
      run_scripts
      File.read("#{@root}/node_modules/one/made").chomp
    end
  end
end
