# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "tmpdir"
require "support/npm_tools"

# Runs functions of npm's own modules, in one node process for many inputs.
module NpmModules
  # script: JavaScript that calls answer(value) once; `input` is the given value, `npm` the folder of npm. Returns that
  # value.
  def node(script, input, env = {})
    folder = Spate::JS::Configuration::NpmFolder.new(ENV).path
    skip "node and npm are not here" unless folder

    program = <<~JS
      const npm = #{folder.to_json}
      const input = JSON.parse(require("fs").readFileSync(0, "utf8"))
      const answer = (value) => process.stdout.write(JSON.stringify(value))
      #{script}
    JS
    output, errors, status = Open3.capture3(env, "node", "-e", program, stdin_data: JSON.generate(input))

    assert_predicate status, :success?, errors
    JSON.parse(output)
  end
end
