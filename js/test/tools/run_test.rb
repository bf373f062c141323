# frozen_string_literal: true

require_relative "tools_case"
require "stringio"

class JSToolsRunTest < Minitest::Test
  include JSToolsCase

  def test_each_tool_has_its_frozen_option_and_runs_no_scripts_of_dependencies
    { "yarn.lock" => "yarn install --frozen-lockfile --non-interactive --check-files --ignore-scripts",
      "bun.lock" => "bun install --frozen-lockfile --ignore-scripts",
      "deno.lock" => "deno install --frozen" }.each do |lockfile, command|
      program(command[/\w+/])
      FileUtils.rm_f(Dir.glob("#{app}/*lock*"))
      restore(project(lockfile))

      assert_equal command, calls.last
    end
  end

  def test_later_yarn_gets_options_by_environment
    program("yarn", "echo scripts $YARN_ENABLE_SCRIPTS >> #{@root}/calls")
    restore(project("yarn.lock", "__metadata:\n"))

    assert_equal ["yarn install --immutable", "scripts 0"], calls
  end

  # With YARN_ENABLE_SCRIPTS=0, yarn runs only the scripts of packages that the project lists in dependenciesMeta.
  def test_yarn_2_runs_scripts_that_package_json_allows
    package = '{"dependenciesMeta":{"one":{"built":true},"two":7}}'
    flags = ["{}", package].map do |text|
      Spate::JS::Tools.of(project("yarn.lock", "__metadata:\n", package: text), @env).then do |tool|
        [tool.silent?, tool.variables["YARN_ENABLE_SCRIPTS"], tool.permission[/"dependenciesMeta": .*/]]
      end
    end

    assert_equal [[true, "0"], [false, "0"]], flags.map { |flag| flag.first(2) }
    assert_equal ["\"dependenciesMeta\": { \"NAME\": { \"built\": true } }"], flags.map(&:last).uniq
  end

  def test_each_tool_prints_how_to_allow_a_script
    { "bun.lock" => /package\.json: "trustedDependencies": \["NAME"\]\z/,
      "deno.lock" => /\Adeno approve-scripts npm:NAME/,
      "pnpm-lock.yaml" => /pnpm-workspace\.yaml: allowBuilds: { "NAME": true }\z/ }.each do |lockfile, expected|
      FileUtils.rm_f(Dir.glob("#{app}/*lock*"))

      assert_match expected, Spate::JS::Tools.of(project(lockfile), @env).permission
    end
    program("npm", "echo 11.0.0")
    FileUtils.rm_f(Dir.glob("#{app}/*lock*"))

    assert_match(/ one package: npm rebuild NAME\z/, Spate::JS::Tools.of(project("package-lock.json"), @env).permission)
  end

  def test_yarn_berry_builds_nothing_without_scripts
    program("yarn")
    restore(project("yarn.lock", "__metadata:\n"), options: Spate::JS::Options.new(ignore_scripts: true))

    assert_equal ["yarn install --immutable --mode=skip-build"], calls
  end

  def test_deno_runs_scripts_of_its_list_unless_scripts_are_disabled
    program("deno")
    [nil, true].each do |ignore|
      restore(project("deno.lock"), options: Spate::JS::Options.new(ignore_scripts: ignore))
    end

    assert_equal ["deno install --frozen", "deno install --frozen --allow-scripts=npm:_"], calls
  end

  def test_a_run_without_scripts_causes_a_warning
    program("bun")
    told = []
    restore(project("bun.lock"), events: Spate::Events.new.subscribe { |event| told << event })

    assert_equal ["bun ran no scripts of dependencies, because the project allows none"],
                 told.select { |event| event[:event] == :warning }.map { |event| event[:message] }
  end

  # npm 11 has lists, but runs all scripts that none of them denies.
  def test_warns_that_npm_before_12_ignores_lists
    program("npm", "[ \"$1\" = --version ] && echo 11.19.1; exit 0")
    told = []
    restore(project("package-lock.json", package: '{"allowScripts":{"esbuild":true}}'),
            events: Spate::Events.new.subscribe { |event| told << event })

    assert_equal [["npm ran no scripts of dependencies, because npm before 12 would run all that no list denies",
                   "npm 12 runs only those in the project's allowScripts; for one package: npm rebuild NAME"]],
                 told.select { |event| event[:event] == :warning }.map { |event| event.values_at(:message, :hint) }
  end

  def test_bun_runs_the_scripts_of_the_projects_list
    program("bun")
    restore(project("bun.lock", package: '{"trustedDependencies":["sharp"]}'))

    assert_equal ["bun install --frozen-lockfile"], calls
  end

  def test_npm_and_pnpm_run_no_scripts_before_the_versions_that_ask
    { "package-lock.json" => ["npm", 11, 12], "pnpm-lock.yaml" => ["pnpm", 9, 10] }.each do |lockfile, (name, *majors)|
      FileUtils.rm_f(Dir.glob("#{app}/*lock*"))
      flags = majors.map do |major|
        program(name, "[ \"$1\" = --version ] && echo #{major}.0.0; exit 0")
        restore(project(lockfile))
        calls.last.include?("--ignore-scripts")
      end

      assert_equal [true, false], flags, name
    end
  end

  VERSION = "if [ \"$1\" = --version ]; then echo 1.22.22; exit; fi"

  def test_failure_shows_the_last_lines
    program("yarn", "#{VERSION}; seq 30; echo 'error Your lockfile needs to be updated' >&2; exit 3")
    error = assert_raises(Spate::JS::ToolFailed) { restore(project("yarn.lock")) }

    assert_equal 5, error.exit_code
    assert_match(/`yarn install --frozen-lockfile .*` ended with status 3/, error.message)
    assert_equal "error Your lockfile needs to be updated", error.details.last
    assert_equal 20, error.details.size
  end

  def test_a_missing_tool_is_named
    error = assert_raises(Spate::JS::ToolMissing) { restore(project("bun.lock")) }

    assert_match(/bun\.lock is restored by bun, which is not on/, error.message)
    assert_equal "install it: npm install -g bun", error.hint
  end

  def test_another_version_than_package_json_names
    program("yarn", "#{VERSION}; exit 1")
    tool = project("yarn.lock", "# yarn lockfile v1\n", package: '{"packageManager":"yarn@1.22.19"}')
    error = assert_raises(Spate::JS::ToolFailed) { restore(tool) }

    assert_match(/ended with status 1; expected yarn@1\.22\.19, .*, found 1\.22\.22\z/, error.message)
    assert_equal "install it: npm install -g yarn@1.22.19", error.hint
  end

  # An uncaught error of corepack, as printed by node.
  UNCAUGHT = <<~TEXT
    /usr/lib/node_modules/corepack/dist/lib/corepack.cjs:22036
        throw new Error(`Corepack cannot download ${name}`);
              ^
    Error: Corepack cannot download yarn
        at fetchLatestStableVersion (/usr/lib/node_modules/corepack/dist/lib/corepack.cjs:22036:13)
        ... 4 lines matching cause stack trace ...
      [cause]: Error: getaddrinfo ENOTFOUND yarn.test {
        code: 'ENOTFOUND'
      }
    }

    Node.js v20.20.2
  TEXT

  def test_corepack_cannot_download_the_tool
    write("trace", UNCAUGHT)
    program("corepack", "while read -r line; do echo \"$line\"; done < #{app}/trace >&2; exit 1")
    error = assert_raises(Spate::JS::ToolUnusable) do
      restore(project("yarn.lock", "__metadata:\n", package: '{"packageManager":"yarn@4.5.0"}'))
    end

    assert_equal "yarn.lock is restored by yarn@4.5.0, but `#{@bin}/corepack yarn` does not run", error.message
    assert_equal ["Error: Corepack cannot download yarn", "[cause]: Error: getaddrinfo ENOTFOUND yarn.test {",
                  "code: 'ENOTFOUND'"], error.details
    assert_equal "install it: npm install -g @yarnpkg/cli-dist@4.5.0", error.hint
  end

  def test_a_tool_that_corepack_refuses
    program("corepack", "echo This project is configured to use pnpm; exit 1")
    error = assert_raises(Spate::JS::ToolUnusable) do
      restore(project("yarn.lock", package: '{"packageManager":"pnpm@9.0.0"}'))
    end

    assert_match(/does not run, and package\.json names pnpm@9\.0\.0\z/, error.message)
    assert_equal ["This project is configured to use pnpm"], error.details
    assert_equal "name yarn in package.json, or commit the lockfile of pnpm instead", error.hint
  end

  def test_yarn_of_the_project_is_run_with_node
    program("node")
    write(".yarn/releases/yarn-4.cjs")
    write(".yarnrc.yml", "nodeLinker: node-modules\nyarnPath: .yarn/releases/yarn-4.cjs\n")
    restore(project("yarn.lock", "__metadata:\n"))

    assert_equal ["node #{app}/.yarn/releases/yarn-4.cjs install --immutable"], calls
  end

  def test_corepack_comes_before_a_yarn_that_is_too_old
    program("yarn")
    program("corepack")
    restore(project("yarn.lock", "__metadata:\n"))

    assert_equal ["corepack yarn install --immutable"], calls
    write("yarn.lock", "# yarn lockfile v1\n")
    restore(Spate::JS::Project.find(app, @env))

    assert_match(/\Ayarn install/, calls.last)
  end

  # The files that `npm install -g @yarnpkg/cli-dist` creates.
  def test_a_later_yarn_comes_before_corepack_unless_package_json_names_another
    program("corepack")
    write("#{@root}/lib/package.json", '{ "name": "@yarnpkg/cli-dist", "version": "4.18.1" }')
    FileUtils.mkdir_p("#{@root}/lib/bin")
    File.rename(program("yarn"), "#{@root}/lib/bin/yarn.js")
    File.symlink("#{@root}/lib/bin/yarn.js", "#{@bin}/yarn")
    ["{}", '{"packageManager":"yarn@4.18.1"}', '{"packageManager":"yarn@4.5.0"}'].each do |package|
      restore(project("yarn.lock", "__metadata:\n", package: package))
    end

    assert_equal ["yarn install --immutable"] * 2 + ["corepack yarn install --immutable"], calls
  end

  def test_output_is_shown_on_request
    program("yarn", "echo one; echo two >&2")
    restore(project("yarn.lock"), terminal: out = StringIO.new)

    assert_equal "one\ntwo\n", out.string
  end

  def test_an_interruption_ends_the_tool_and_its_children
    program("yarn", "sleep 60 & echo $! > #{@root}/pid; wait")
    thread = Thread.new { restore(project("yarn.lock")) }
    thread.report_on_exception = false
    sleep 0.02 until File.size?("#{@root}/pid")
    thread.raise(Interrupt)

    assert_raises(Interrupt) { thread.value }
    pid = File.read("#{@root}/pid").to_i
    100.times { Spate::Util::Child.alive?(pid) ? sleep(0.02) : break }

    refute Spate::Util::Child.alive?(pid)
  end

  def test_tool_gets_the_environment_from_before_bundler
    program("yarn", "echo \"$RUBYOPT|$ONE\" >> #{@root}/calls")
    @env.update("RUBYOPT" => "-rbundler/setup", "ONE" => "1")
    restore(project("yarn.lock"))

    assert_equal "|1", calls.last
  end
end
