# frozen_string_literal: true

require_relative "scripts_case"

# C extensions are built once with npm's node-gyp, and again after a change of node's headers.
class JSScriptsNativeTest < Minitest::Test
  include JSScriptsCase

  GYP = JSON.generate(targets: [{ target_name: "one", sources: ["one.c"] }])
  SOURCE = <<~C
    #include <node_api.h>
    #include "answer.h"
    static napi_value init(napi_env env, napi_value exports)
    {
      napi_value value;
      return napi_create_int32(env, ANSWER, &value) == napi_ok ? value : exports;
    }
    NAPI_MODULE(one, init)
  C

  def setup
    super
    prefix = Spate::JS::Configuration::NpmFolder.new(@env).prefix.to_s
    skip "no headers of node" unless File.file?("#{prefix}/include/node/node_api.h")
    machine = JS::Scripts::Machine.new(@env, "npm")
    skip "no node-gyp beside npm" unless machine.gyp_bin
    %w[make cc python3].each { |name| skip "no #{name}" unless JS::Tools::Program.find(name, @env["PATH"]) }
    skip "tracing is not available" unless Spate::Tracer.available? == true
    @env["npm_config_nodedir"] = prefix
    @env["CFLAGS"] = "-I#{@base}/include"
    manifest(allowScripts: { one: true })
    write("#{@base}/include/answer.h", "#define ANSWER 42\n")
  end

  def test_a_module_is_built_once
    install
    assert_answer 42, [1, 0]
    install
    assert_answer 42, [0, 1]
    @root = "#{@base}/another"
    manifest(allowScripts: { one: true })
    install
    assert_answer 42, [0, 1]
  end

  def test_a_changed_header_starts_a_rebuild
    install
    write("#{@base}/include/answer.h", "#define ANSWER 7\n")
    install

    assert_answer 7, [1, 0]
  end

  def test_failure_shows_the_compiler_error
    write("#{@base}/include/answer.h", "#define ANSWER nothing\n")
    error = assert_raises(JS::ScriptFailed) { install }

    assert_match(/nothing.*undeclared/, error.details.join("\n"))
  end

  private

  def install
    FileUtils.rm_rf("#{@root}/node_modules")
    add("one", "1.0.0", {}, files: { "binding.gyp" => GYP, "one.c" => SOURCE })
    run_scripts
  end

  def assert_answer(number, count)
    assert_equal count, @count.to_a
    program = "console.log(require('#{@root}/node_modules/one/build/Release/one.node'))"

    assert_equal number.to_s, IO.popen([@env, "node", "-e", program], &:read).chomp
  end
end
