# frozen_string_literal: true

require "cli/js/js_case"

# `spate js add` and other commands that Spate does not have fail, with the command of the project's tool as hint.
class JSToolCommandTest < JSCase
  LOCKFILES = { "npm" => "package-lock.json", "pnpm" => "pnpm-lock.yaml", "yarn" => "yarn.lock", "bun" => "bun.lock",
                "deno" => "deno.lock" }.freeze

  def hint(*words)
    result = spate("js", *words, dir: app)

    assert_equal [2, ""], result.to_a.first(2), words.join(" ")
    result.err[/^hint: (.*)$/, 1]
  end

  def lockfile(tool, text = "# yarn lockfile v1\n")
    LOCKFILES.each_value { |name| FileUtils.rm_f(app(name)) }
    write("app/#{LOCKFILES.fetch(tool)}", text)
  end

  def test_adding_a_package
    { "npm" => "npm install react @a/b@1", "pnpm" => "pnpm add react @a/b@1", "yarn" => "yarn add react @a/b@1",
      "bun" => "bun add react @a/b@1", "deno" => "deno add npm:react npm:@a/b@1" }.each do |tool, command|
      lockfile(tool)

      assert_equal [command, command], [hint("add", "react", "@a/b@1"), hint("install", "react", "@a/b@1")]
    end
  end

  def test_other_commands_of_tools
    assert_equal ["npm uninstall x", "npm update", "npm run build", 'npm install x@\>1'],
                 [hint("remove", "x"), hint("update"), hint("run", "build"), hint("add", "x@>1")]
    assert_equal "npm install -D x --save-exact", hint("add", "-D", "x", "--save-exact")
    lockfile("yarn", "__metadata:\n  version: 8\n")

    assert_equal "yarn up x", hint("upgrade", "x")
  end

  def test_unknown_command_of_a_tool
    assert_equal ["did you mean `spate js check`?", "spate js --help", "spate js --help"],
                 [hint("chek"), hint("frobnicate"), hint("check", "x")]
    FileUtils.rm_f([app("package.json"), app("package-lock.json")])

    assert_equal "spate js --help", hint("add", "x")
  end
end
