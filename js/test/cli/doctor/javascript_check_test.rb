# frozen_string_literal: true

require "cli/js/js_case"
require "support/npm_registry"

class JavascriptCheckTest < JSCase
  def check(**env)
    env = { "PATH" => ENV.fetch("PATH"), "HOME" => folder, **env }
    context = Spate::CLI::Command::Context.new(values: {}, env: env, terminal: terminal)
    found = []
    Dir.chdir(app) { Spate::CLI::Doctor::JavascriptCheck.new(context).each { |finding| found << finding } }
    found.map { |finding| [finding.state, finding.text] }
  end

  def program(name)
    write("bin/#{name}", "#!/bin/sh\n", mode: 0o755)
    "#{folder}/bin"
  end

  def test_reports_a_project_that_spate_restores
    %w[npm node].each { |name| program(name) }
    assert_equal [[:ok, "#{app}/package-lock.json: Spate restores it"], [:ok, "npm is #{folder}/bin/npm"],
                  [:ok, "the registry is http://r.test/"], [:ok, "node is #{folder}/bin/node"],
                  [:odd, "node_modules is missing"]],
                 check("PATH" => "#{folder}/bin", "npm_config_registry" => "http://me:secret@r.test")
  end

  def test_reports_programs_missing_on_the_path
    assert_equal [[:ok, "npm is not on the PATH; needed only if Spate cannot restore the project"],
                  [:odd, "no registry is configured, and none of npm, pnpm and yarn is on the PATH to query its " \
                         "default: packages come only from the lockfile's addresses, and lists cannot " \
                         "allow scripts by name"],
                  [:odd, "node is not on the PATH: packages' scripts cannot run"]], check("PATH" => "")[1..3]
  end

  def test_reports_changes_in_node_modules
    FileUtils.mkdir_p(app("node_modules"))
    assert_equal [:ok, "the store has no record of node_modules: the next `spate js` restores all of it"], check.last
    FileUtils.rm_r(app("node_modules"))
    lock
    write("app/.npmrc", "tag=${TAG}\n") # a setting may contain a variable
    assert_equal 0, spate("js", dir: app, env: { "SPATE_HOME" => nil, "TAG" => "x" }).status
    assert_equal [:ok, "node_modules is unchanged since its restore (`spate js check` compares each file)"],
                 check("TAG" => "x").last
    File.write(app("package-lock.json"), "\n", mode: "a")
    assert_equal [:odd, "node_modules, lockfile, settings or options changed since it was restored"],
                 check.last
    Spate::JS::Restore::Memory::Record.forget(Spate::Store.open(env: { "HOME" => folder }), app)
    assert_equal [:odd, "the last restore of node_modules did not finish; `spate js` completes it"], check.last
  end

  # Writes package.json and a lockfile for one package, whose archive is in the project.
  def lock
    hello = NpmRegistry::Package.new("hello", "1.0.0")
    File.binwrite(app("hello.tgz"), hello.archive)
    facts = { version: "1.0.0", resolved: "file:hello.tgz", integrity: hello.integrity }
    root = { name: "app", version: "1.0.0", dependencies: { hello: "file:hello.tgz" } }
    write("app/package.json", JSON.generate(root))
    write("app/package-lock.json", JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3,
                                                 packages: { "" => root, "node_modules/hello" => facts }))
  end

  def test_reports_a_project_of_another_tool
    FileUtils.rm(app("package-lock.json"))
    write("app/yarn.lock", "# yarn lockfile v1\n")
    found = check("PATH" => "")

    assert_equal [:ok, "#{app}/yarn.lock: Spate runs yarn to restore it"], found.first
    assert_equal :broken, found[1].first
    assert_match(/yarn, which is not on the PATH/, found[1].last)
  end

  def test_reports_why_a_project_is_left_to_the_tool
    write("app/package.json", '{"name":"app","version":"1.0.0","dependencies":{"x":"github:a/b"}}')
    write("app/package-lock.json", <<~JSON)
      {"name":"app","version":"1.0.0","lockfileVersion":3,"packages":{
        "":{"name":"app","version":"1.0.0","dependencies":{"x":"github:a/b"}},
        "node_modules/x":{"version":"1.0.0","resolved":"git+ssh://git@github.test/a/b.git#abc"}}}
    JSON
    found = check("PATH" => "")

    assert_match(/package-lock\.json: Spate runs npm to restore it; .*git/, found.first.last)
    assert_equal :broken, found[1].first
  end

  def test_unsupported_lockfile
    write("app/package-lock.json", "{")

    assert_equal :broken, check.first.first
  end

  def test_reports_whether_install_restores_packages
    write("app/Gemfile", "")
    assert_equal "`spate install` restores gems only; --js also restores node_modules", check.last.last
    write("app/.bundle/config", "---\nBUNDLE_SPATE__JS: \"true\"\n")
    assert_equal "`spate install` also restores node_modules", check.last.last
  end

  def test_no_project
    FileUtils.rm(Dir[app("*")])
    assert_equal [[:ok, "no package.json here"]], check
  end
end
