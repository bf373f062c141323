# frozen_string_literal: true

require_relative "scripts_case"

# The results of scripts are reused while their inputs are unchanged.
class JSScriptsBuildTest < Minitest::Test
  include JSScriptsCase

  BUILD = "process.env.FLAVOUR; const fs = require('fs'); fs.mkdirSync('out');" \
          "fs.writeFileSync('out/made', fs.readFileSync(process.argv[2]));" \
          "fs.writeFileSync('data', 'changed'); fs.unlinkSync('gone')"

  def setup
    super
    skip "tracing is not available" unless Spate::Tracer.available? == true
    manifest(allowScripts: { one: true })
    File.write("#{@base}/input", "first")
  end

  def test_a_second_install_runs_no_scripts
    install

    assert_equal [1, 0], @count.to_a
    install

    assert_equal [0, 1], @count.to_a
    assert_equal 1, starts
    assert_built "first"
  end

  def test_build_is_shared_with_another_project
    install
    @root = "#{@base}/another"
    manifest(allowScripts: { one: true })
    install

    assert_equal 1, starts
    assert_built "first"
  end

  def test_a_changed_input_runs_the_scripts_again
    install
    File.write("#{@base}/input", "second")
    install

    assert_equal 2, starts
    assert_built "second"
    File.write("#{@base}/input", "first")
    install

    assert_equal 2, starts
    assert_built "first"
  end

  def test_a_changed_variable_runs_the_scripts_again
    install
    @env["FLAVOUR"] = "x"
    install

    assert_equal 2, starts
  end

  # Tests a package whose result can be stored (with an integrity), and one whose result cannot.
  def test_an_input_that_changes_while_a_script_runs
    ["sha512-#{["x" * 64].pack("m0")}", nil].each do |integrity|
      FileUtils.rm_rf("#{@root}/node_modules")
      File.write("#{@base}/input", "first")
      changer = Thread.new do
        Thread.pass until File.size?("#{@root}/node_modules/one/read")
        File.write("#{@base}/input", "second")
        write("node_modules/one/go")
      end
      text = "cat #{@base}/input > made; [ $(cat made) = second ] || { echo > read; until [ -e go ]; do :; done; }"
      install(script: text, integrity: integrity)
      changer.join

      assert_equal "first", File.read("#{@root}/node_modules/one/made")
      run_scripts

      assert_equal "second", File.read("#{@root}/node_modules/one/made"), integrity
    end
  end

  # A shell and its child processes receive all variables without reading them individually.
  def test_environment_is_an_input_however_it_is_read
    ["echo $MY_SECRET > out", "bash -c 'printenv MY_SECRET > out'", "env | sort > out",
     "node -p 'JSON.stringify(process.env)' > out"].each do |text|
      %w[mine yours mine].each do |secret|
        @env["MY_SECRET"] = secret
        install(script: text)

        assert_includes File.read("#{@root}/node_modules/one/out"), secret, text
      end
      assert_equal [0, 1], @count.to_a, text
    end
  end

  # The path of the project and variables of a terminal are not inputs.
  def test_project_path_and_session_variables_are_not_inputs
    install
    @root = "#{@base}/another"
    manifest(allowScripts: { one: true })
    @env.update("TERM" => "other", "SSH_TTY" => "x", "PWD" => @root, "PATH" => "#{@root}/bin:#{@env["PATH"]}")
    install

    assert_equal 1, starts
  end

  def test_another_archive_or_script_is_another_build
    install
    install(integrity: "sha512-#{["y" * 64].pack("m0")}")
    install(script: "#{script}; true")

    assert_equal 3, starts
  end

  def test_a_link_to_another_packages_file_does_not_change_it
    2.times do
      install(script: "#{script}; node -e \"require('fs').linkSync('../two/tool', 'out/tool')\"") do
        add("two", files: { "tool" => "tool" })
        File.chmod(0o755, "#{@root}/node_modules/two/tool")
      end
    end

    assert_equal 1, starts
    assert_equal ["tool", 0o755], File.open("#{@root}/node_modules/one/out/tool") { |f| [f.read, f.stat.mode & 0o777] }
  end

  def test_scripts_that_write_outside_run_each_time
    2.times { install(script: "#{script}; echo x > #{@root}/outside") }

    assert_equal 2, starts
  end

  # For example, the first run of node-gyp on a machine creates bytecode. The result can be reused nevertheless.
  def test_python_bytecode_outside_the_package_is_ignored
    skip "no python3" unless JS::Tools::Program.find("python3", @env["PATH"])
    write("#{@base}/tools/flavour.py", "FLAVOUR = 1\n")
    @env.delete("PYTHONDONTWRITEBYTECODE")
    2.times { install(script: "#{script}; PYTHONPATH=#{@base}/tools python3 -c 'import flavour'") }

    refute_empty Dir.glob("#{@base}/tools/__pycache__/*.pyc")
    assert_equal 1, starts
  end

  def test_a_script_that_used_the_network_runs_each_time
    server = TCPServer.new("127.0.0.1", 0)
    connect = "node -e \"require('net').connect(#{server.addr[1]}, '127.0.0.1').on('connect', () => process.exit())\""
    2.times { install(script: "#{script}; #{connect}") }

    assert_equal 2, starts
  ensure
    server&.close
  end

  def test_rebuild_option_builds_again
    install
    install(rebuild: ["one"])

    assert_equal 2, starts
  end

  def test_changing_a_reused_build_affects_no_other_project
    install
    install
    File.write("#{@root}/node_modules/one/out/made", "mine")
    install

    assert_built "first"
  end

  private

  def script = "node build.js #{@base}/input"

  def install(script: self.script, integrity: "sha512-#{["x" * 64].pack("m0")}", **options)
    FileUtils.rm_rf("#{@root}/node_modules")
    add("one", "1.0.0", { install: script }, integrity: integrity,
                                             files: { "build.js" => BUILD, "data" => "x", "gone" => "x" })
    yield if block_given?
    run_scripts(**options)
  end

  def starts = @events.count { |event| event[:event] == :js_script_start }

  def assert_built(content)
    folder = "#{@root}/node_modules/one"

    assert_equal [content, "changed", false],
                 [File.read("#{folder}/out/made"), File.read("#{folder}/data"), File.exist?("#{folder}/gone")]
  end
end
