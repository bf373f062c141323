# frozen_string_literal: true

require "cli/cli_case"
require "json"
require "support/npm_registry"

# `spate js` and its commands, with real packages from a local registry.
class RealJSTest < CLICase
  def setup
    @registry = NpmRegistry.start
    @registry.add("hello", "1.0.0", files: { "index.js" => "module.exports = 1\n" })
    @registry.add("builder", "2.0.0", files: { "install.js" => "" }, scripts: { "install" => "node install.js" })
    write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: PACKAGES))
    lock(PACKAGES)
  end

  def teardown
    @registry.stop
    super
  end

  PACKAGES = { "builder" => "2.0.0", "hello" => "1.0.0" }.freeze

  def lock(packages)
    locked = packages.to_h do |name, version|
      facts = { version: version, resolved: @registry.resolved(name, version),
                integrity: @registry.integrity(name, version) }
      facts[:hasInstallScript] = true if name == "builder"
      ["node_modules/#{name}", facts]
    end
    root = { name: "app", version: "1.0.0", dependencies: packages }
    write("app/package-lock.json", JSON.generate(name: "app", version: "1.0.0", lockfileVersion: 3, requires: true,
                                                 packages: { "" => root, **locked }))
  end

  def app(*parts) = File.join(folder, "app", *parts)

  def js(*arguments, **more)
    env = NpmRegistry.env(@registry, home: "#{folder}/home").merge("CI" => nil, **more)
    spate("js", *arguments, dir: app, env: env)
  end

  def test_restore_check_and_restore_again
    said = js.err.lines(chomp: true)
    assert_equal ["warning: scripts of 1 package are not allowed to run: builder",
                  "hint: spate js scripts"], said.first(2)
    assert_match(/\A2 packages in [\d.]+ s: 2 from the network \(.*\)\z/, said[2])
    assert_equal "module.exports = 1\n", File.read(app("node_modules/hello/index.js"))
    assert_equal "2 packages in place, nothing to do", js.err[/\A[^(]+/].strip
    assert_equal [0, "node_modules is complete: 2 packages\n"], js("check").to_a.values_at(0, 2)

    FileUtils.rm(app("node_modules/hello/index.js"))
    found = js("check")
    assert_equal [11, "error: node_modules differs from its lockfile in 1 place\n  " \
                      "node_modules/hello/index.js is missing\nhint: spate js --restore hello\n"],
                 [found.status, found.err]
    js("--restore", "hello")
    assert_equal 0, js("check").status
  end

  # Several packages have scripts, one of them from an archive in the project. The command in the hint allows them
  # unchanged.
  def test_scripts_without_permission_and_an_archive_of_the_project
    @registry.add("@a/b", "1.0.0", scripts: { "postinstall" => "true" })
    archive = NpmRegistry::Package.new("own", "1.0.0", scripts: { "install" => "true" })
    packages = { **PACKAGES, "@a/b" => "1.0.0" }
    lock(packages)
    own = { version: "1.0.0", resolved: "file:own.tgz", integrity: archive.integrity }
    text = JSON.parse(File.read(app("package-lock.json")))
    text["packages"][""]["dependencies"]["own"] = "file:own.tgz"
    text["packages"]["node_modules/own"] = own
    write("app/package-lock.json", JSON.generate(text))
    File.binwrite(app("own.tgz"), archive.archive)
    write("app/package.json", JSON.generate(text["packages"][""]))
    js
    said = js("scripts").err

    assert_match(/^hint: npm approve-scripts builder @a.b own, or in package\.json: "allowScripts": /, said)
    write("app/package.json", JSON.generate(text["packages"][""]).sub(/\}\z/, ",#{said[/"allowScripts": \{.*\}/]}}"))
    assert_equal "3 packages have scripts, 3 may run them\n", js("scripts").err
  end

  def test_restore_of_named_packages
    js
    FileUtils.rm(app("node_modules/hello/index.js"))
    assert_match(/2 packages in .* 1 from the store, 1 in place/, js("--restore", "hello@1.0.0").err)
    assert_path_exists app("node_modules/hello/index.js")
    { "helo" => "did you mean hello?", "builder,hello@1" => "did you mean hello@1.0.0?",
      "x" => "use names of packages, separated by commas, or all" }.each do |names, hint|
      name = names.split(",").last

      assert_equal [14, "error: the project has no package #{name.inspect}\nhint: #{hint}\n"],
                   js("--restore", names).to_a.values_at(0, 2)
    end
  end

  def test_scripts_lists_packages_with_scripts
    asked = js("scripts")
    assert_equal [0, ""], [asked.status, asked.out]
    assert_match(/2 packages not restored yet, whose scripts are unknown/, asked.err)
    js
    asked = js("scripts")
    assert_equal "builder@2.0.0  not allowed  install: node install.js\n", asked.out
    assert_equal "1 package has scripts, 0 may run them\nhint: npm approve-scripts builder, or in package.json: " \
                 "\"allowScripts\": { \"builder\": true }\n", asked.err
  end

  def test_without_node
    bare = { "PATH" => folder }
    assert_equal([0, 0, 0], [%w[install], %w[check], %w[scripts]].map { |words| js(*words, **bare).status })
    assert_match(/^hint: in package\.json: "allowScripts": \{ "builder": true \}/, js("scripts", **bare).err)
    write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: PACKAGES,
                                            allowScripts: { "builder" => true }))
    said = js(**bare)

    assert_equal 10, said.status
    assert_match(/builder@2\.0\.0: its script install needs node, which is not on the PATH/, said.err)
  end

  # Packages are omitted by an option or a variable. A later check uses the settings of the restore.
  def test_check_accepts_omitted_packages
    lock = JSON.parse(File.read(app("package-lock.json")))
    lock["packages"]["node_modules/hello"]["dev"] = true
    lock["packages"][""].merge!("dependencies" => { "builder" => "2.0.0" }, "devDependencies" => { "hello" => "1.0.0" })
    write("app/package-lock.json", JSON.generate(lock))
    write("app/package.json", JSON.generate(lock["packages"][""]))
    [%w[--omit dev], { "NODE_ENV" => "production" }, { "npm_config_omit" => "dev" }].each do |way|
      js
      way.is_a?(Hash) ? js(**way) : js(*way)
      refute_path_exists app("node_modules/hello")
      assert_equal [0, "node_modules is complete: 1 package\n"], js("check").to_a.values_at(0, 2)
    end
    js
    assert_equal [0, "node_modules is complete: 2 packages\n"], js("check").to_a.values_at(0, 2)
  end

  # Runs `spate js` without a known registry: no setting, and none of npm, pnpm and yarn on the PATH.
  def js_alone(*arguments, **more)
    nothing = NpmRegistry.env(@registry, home: "").keys.grep(/config_registry/).to_h { |name| [name, nil] }
    js(*arguments, **nothing, "PATH" => folder, **more)
  end

  def test_without_a_registry_uses_the_addresses_of_the_lockfile
    said = js_alone

    assert_match(/^2 packages in [\d.]+ s: 2 from the network/, said.err)
    FileUtils.rm_rf(app("node_modules"))
    @registry.forget_requests
    assert_match(/^2 packages in [\d.]+ s: 2 from the store/, js_alone("--local", "--ignore-scripts").err)
    assert_empty @registry.requests
    assert_match(/nothing to do/, js_alone("--local", "--ignore-scripts").err)
  end

  def test_without_a_registry_no_list_allows_a_script_by_name
    write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: PACKAGES,
                                            allowScripts: { "builder" => true }))
    2.times do
      assert_equal ["warning: scripts of builder@2.0.0 do not run: they are on a list, but it is unknown whether " \
                    "they come from the registry (#{Spate::JS::Configuration::UnknownRegistryError::UNKNOWN})",
                    "hint: set it in the project's .npmrc: registry=ADDRESS"],
                   js_alone.err.lines(chomp: true).grep(/^(?:warning|hint)/)
    end
    said = js_alone("scripts")

    assert_match(/\Abuilder@2\.0\.0  not allowed: on a list, but the registry is unknown/, said.out)
    assert_match(/^hint: set it in the project's \.npmrc: registry=ADDRESS \(no registry is configured/, said.err)
    refute_match(/approve-scripts/, said.err)
    refute_includes js_alone("--ignore-scripts").err, "registry"
    write("app/.npmrc", "registry=#{@registry.url}\n")

    assert_equal 10, js_alone.status # the script may run, but node is missing
  end

  def test_without_a_registry_a_missing_address_is_an_error
    write("app/package-lock.json", File.read(app("package-lock.json")).gsub(/"resolved":"[^"]*",/, ""))
    said = js_alone

    assert_equal 12, said.status
    assert_match(/\Aerror: (builder|hello): no registry is configured, and none of npm, pnpm and yarn /, said.err)
    js
    FileUtils.rm_rf(app("node_modules"))
    assert_equal 0, js_alone.status
  end

  # npm's version changes the rules of the plan.
  def test_a_plan_made_without_npm_is_replaced_once_npm_is_installed
    js_alone
    assert_match(/nothing to do/, js_alone.err)
    write("npm", "#!/bin/sh\n", mode: 0o755)

    assert_match(/^2 packages in [\d.]+ s: 2 in place/, js_alone.err)
    assert_match(/nothing to do/, js_alone.err)
  end

  def test_allowed_and_denied_by_a_list
    js
    { true => "allowed", false => "denied" }.each do |value, word|
      write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: PACKAGES,
                                              allowScripts: { "builder" => value }))
      assert_equal "builder@2.0.0  #{word} (package.json allowScripts: builder)  install: node install.js\n",
                   js("scripts").out
    end
    events = js("scripts", "--json").out.lines.map { |line| JSON.parse(line) }
    assert_equal [["js_script", false], ["js_scripts", 0]], events.map { |event| event.values_at("event", "allowed") }
    assert_equal [{ "install" => "node install.js" }, 0], [events.first["scripts"], events.last["unknown"]]
  end

  def test_an_archive_of_another_package
    @registry.add("liar", "1.0.0", name: "evil", scripts: { "install" => "node install.js" })
    write("app/package.json", JSON.generate(name: "app", version: "1.0.0", dependencies: { "liar" => "1.0.0" },
                                            allowScripts: { "liar" => true }))
    lock({ "liar" => "1.0.0" })
    js
    asked = js("scripts")

    assert_equal "liar@1.0.0  not allowed, its archive is evil@1.0.0  install: node install.js\n", asked.out
    refute_includes asked.err, "hint"
    assert_equal "evil@1.0.0", JSON.parse(js("scripts", "--json").out.lines.first)["found"]
  end

  def test_every_event_of_a_restore
    events = js("--json").out.lines.map { |line| JSON.parse(line) }
    names = events.map { |event| event["event"] }

    assert_equal %w[js_plan js_fetch_start js_fetch_done js_unpacked js_link_done js_linked js_done], names.uniq
    assert_equal [2, 2], events.first.values_at("total", "fetch")
    assert_equal [2, 2, false, "npm"], events.last.values_at("total", "fetched", "noop", "tool")
  end

  def test_the_store_counts_packages_of_both_kinds
    js
    status = spate("store", "status").out

    assert_match(/^JavaScript packages +2 +\d+ B\n/, status)
    assert_match(/ 2 JavaScript packages, installed /, status)
    found = JSON.parse(spate("store", "status", "--json").out)

    assert_equal [2, 0, 0], %w[javascript gems unused].map { |half| found.dig(half, "files") }
    assert_equal found.dig("objects", "bytes"), found.dig("javascript", "bytes")
  end

  def test_timeline
    assert_match(/\Atimeline: /, js("--timeline", "#{folder}/page.html", "--serial").err)
    text = File.read("#{folder}/page.html")
    run = JSON.parse(text[Spate::CLI::Timeline::Page::DATA, 1])["runs"].first

    assert_equal %w[fetch link unpack], run["spans"].map { |span| span[2] }.uniq.sort
    assert_equal 1, run["lanes"].count { |phase,| phase == "unpack" }
    assert_equal "spate js --serial", run["command"]
  end

  def test_another_tool_runs_no_scripts_of_dependencies
    FileUtils.rm(app("package-lock.json"))
    write("app/yarn.lock", "# yarn lockfile v1\n")
    assert_equal [2, "error: `spate js scripts` cannot list this project's scripts: yarn restores it, and runs no " \
                     "scripts of dependencies\n" \
                     "hint: it has no list of allowed scripts; for one: " \
                     "yarn --cwd node_modules/NAME run postinstall\n"],
                 js("scripts").to_a.values_at(0, 2)
  end

  def test_scripts_prints_why_a_project_is_left_to_the_tool
    write("app/.npmrc", "install-strategy=linked\n")
    said = js("scripts")

    assert_equal 2, said.status
    assert_match(/\Aerror: .*: npm restores it \(install-strategy = linked\), and runs /, said.err)
    assert_match(/^hint: /, said.err)
  end
end
