# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # JS.restore restores a project with a lockfile, and does nothing while its inputs and node_modules are unchanged.
  class JSRestoreRunTest < Minitest::Test
    def setup
      @registry = NpmRegistry.start
      @registry.add("a", "1.0.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755] }, bin: { "a" => "cli.js" },
                                  dependencies: { "b" => "^1.0.0" })
      @registry.add("b", "1.0.0", files: { "index.js" => "one" })
      @registry.add("b", "2.0.0", files: { "index.js" => "two" })
      @env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))
      lock("b" => "1.0.0", "a" => "1.0.0")
    end

    def teardown
      @registry.stop
      super
    end

    def root = File.join(folder, "app")
    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})
    def inside(path) = File.join(root, path)

    def lock(packages)
      write("app/package.json", JSON.generate({ name: "app", version: "1.0.0", dependencies: packages }))
      places = packages.to_h { |name, version| ["node_modules/#{name}", place(name, version)] }
      root = { name: "app", version: "1.0.0", dependencies: packages }
      write("app/package-lock.json", JSON.generate({ name: "app", version: "1.0.0", lockfileVersion: 3, requires: true,
                                                     packages: { "" => root, **places } }))
    end

    def place(name, version)
      more = name == "a" ? { dependencies: { "b" => "^1.0.0" }, bin: { "a" => "cli.js" } } : {}
      { version: version, resolved: @registry.resolved(name, version),
        integrity: @registry.integrity(name, version), **more }
    end

    # Sets patterns for workspaces. Of the folders that match, only packages/ exists.
    def workspaces(patterns)
      FileUtils.mkdir_p(inside("packages"))
      %w[package.json package-lock.json].each do |name|
        data = JSON.parse(File.read(inside(name)))
        (data.dig("packages", "") || data)["workspaces"] = patterns
        File.write(inside(name), JSON.generate(data))
      end
    end

    def restore(events: Events.new, **options)
      JS.restore(root: root, env: @env, store: store, events: events, options: JS::Options.new(**options))
    end

    # npm restores this project. With `restore: :all` edits are undone. Options that npm's restore does not support
    # cause a warning.
    def test_options_of_a_restore_by_the_tool
      write("app/.npmrc", "install-strategy=linked\n")
      restore
      assert_predicate restore, :noop?
      File.write(Dir[inside("node_modules/.store/b@*/node_modules/b/index.js")].first, "edited")
      told = []
      events = Events.new.subscribe { |event| told << event[:message] if event[:event] == :warning }

      refute_predicate restore(events: events, restore: :all), :noop?
      assert_equal "one", File.read(inside("node_modules/b/index.js"))
      refute_includes told.join, "has no effect"
      refute_predicate restore(events: events, restore: %w[b], copy: true, local: true), :noop?
      assert_equal ["--copy", "--local", "--restore NAMES"].map { |option|
        "#{option} has no effect: npm restores this project"
      }, told.grep(/has no effect/)
    end

    def test_a_lockfile_of_another_tool_than_package_json_names
      write("app/package.json", JSON.generate(name: "app", version: "1.0.0", packageManager: "pnpm@10.0.0",
                                              dependencies: { "b" => "1.0.0", "a" => "1.0.0" }))
      told = []
      events = Events.new.subscribe { |event| told << event[:message] if event[:event] == :warning }
      restore(events: events)

      assert_equal ["package.json names pnpm@10.0.0, but its only lockfile is npm's, which is used"], told
    end

    def test_second_restore_has_nothing_to_do
      report = restore
      assert_equal ["npm", 2, 2, false], [report.tool, report.total, report.fetched, report.noop?]
      assert_equal "one", File.read(inside("node_modules/b/index.js"))
      assert_equal "../a/cli.js", File.readlink(inside("node_modules/.bin/a"))
      again = restore
      assert_predicate again, :noop?
      assert_equal ["npm", 2, 2, 0], [again.tool, again.total, again.reused, again.linked]
    end

    def test_a_changed_lockfile_is_restored
      restore
      lock("b" => "2.0.0")
      report = restore
      assert_equal "two", File.read(inside("node_modules/b/index.js"))
      refute_path_exists inside("node_modules/a")
      refute_path_exists inside("node_modules/.bin/a")
      assert_equal [1, 1], [report.linked, report.fetched]
      assert_predicate restore, :noop?
    end

    def test_an_edit_that_keeps_size_and_time_is_noticed
      %w[package-lock.json node_modules/.package-lock.json].each do |name|
        restore
        assert_predicate restore, :noop?
        stat = File.stat(path = inside(name))
        File.open(path, "r+") { |file| file.write(File.read(path).sub('"version":"1.0.0"', '"version":"1.0.1"')) }
        File.utime(stat.atime, stat.mtime, path)
        assert_equal [stat.size, stat.ino, stat.mtime], [File.size(path), File.stat(path).ino, File.mtime(path)]
        refute_predicate restore, :noop?
      end
    end

    def test_an_archive_of_the_project_that_is_replaced_is_noticed
      archives = %w[1.0.0 2.0.0].map { |version| @registry.archive("b", version) }
      lock("b" => "1.0.0")
      lockfile = JSON.parse(File.read(inside("package-lock.json")))
      lockfile["packages"][""]["dependencies"]["b"] = "file:vendor/b.tgz"
      lockfile["packages"]["node_modules/b"] = { version: "1.0.0", resolved: "file:vendor/b.tgz" }
      write("app/package-lock.json", JSON.generate(lockfile))
      write("app/package.json", JSON.generate(lockfile["packages"][""]))
      %w[one two].zip(archives) do |text, archive|
        FileUtils.mkdir_p(inside("vendor"))
        File.binwrite(inside("vendor/b.tgz"), archive)
        refute_predicate restore, :noop?
        assert_equal text, File.read(inside("node_modules/b/index.js"))
        assert_predicate restore, :noop?
      end
    end

    def test_changes_by_others_are_detected
      restore
      [-> { FileUtils.rm_rf(inside("node_modules/b")) }, -> { File.unlink(inside("node_modules/.bin/a")) },
       -> { FileUtils.rm_rf(inside("node_modules")) }, -> { write("app/node_modules/.package-lock.json", "{}") },
       -> { File.unlink(inside("node_modules/a/package.json")) }, -> { write("app/node_modules/stray/x", "") }]
        .each do |change|
        change.call
        refute_predicate restore, :noop?
        assert_predicate JS.check(root: root, store: store, env: @env), :ok?
        assert_predicate restore, :noop?
      end
    end

    def test_added_workspace_invalidates_the_record_and_the_stored_plan
      workspaces(["packages/*"])
      restore
      assert_predicate restore, :noop?
      write("app/packages/two/package.json", JSON.generate({ name: "two", version: "1.0.0" }))
      assert_raises(JS::DisagreementError) { restore }
      FileUtils.rm_rf(inside("packages/two"))
      restore
      FileUtils.rm_rf(inside("node_modules"))
      FileUtils.mkdir_p(inside("packages"))
      write("app/packages/two/package.json", JSON.generate({ name: "two", version: "1.0.0" }))
      assert_raises(JS::DisagreementError) { restore }
    end

    def test_workspaces_in_the_root_leave_nothing_to_do
      workspaces(["*"])
      restore
      assert_predicate restore, :noop?
      surroundings = JS::Restore::Memory::Surroundings.new(@env, JS::Options.new, store).to_s
      refute_nil JS::Restore::Memory::KeptPlan.new(store, File.realpath(root), surroundings).load
      write("app/two/package.json", JSON.generate({ name: "two", version: "1.0.0" }))
      assert_raises(JS::DisagreementError) { restore }
    end

    def test_added_pnpm_project_is_noticed
      FileUtils.rm_rf(root)
      write("app/package.json", JSON.generate({ name: "app", packageManager: "pnpm@10.0.0" }))
      write("app/pnpm-workspace.yaml", "packages: ['packages/*', later]\n")
      write("app/packages/one/package.json", JSON.generate({ name: "one" }))
      write("app/pnpm-lock.yaml", JSON.generate({ lockfileVersion: "9.0", importers: { ".": {}, "packages/one": {} } }))
      restore
      %w[packages/two later].each do |path|
        assert_predicate restore, :noop?
        write("app/#{path}/package.json", JSON.generate({ name: "two", dependencies: { a: "1" } }))
        assert_raises(JS::DisagreementError) { restore }
        FileUtils.rm_rf(inside(path))
        restore
      end
    end

    def test_changed_options_start_a_restore
      restore
      refute_predicate restore(copy: true), :noop?
      assert_equal 1, File.stat(inside("node_modules/b/index.js")).nlink
      assert_predicate restore(copy: true), :noop?
      refute_predicate restore, :noop?
    end

    def test_plan_is_stored_and_reused
      restore
      sleep 0.05
      FileUtils.rm_rf(inside("node_modules"))
      File.write(inside("package-lock.json"), File.read(inside("package-lock.json"))) # a new mtime, the same content
      surroundings = JS::Restore::Memory::Surroundings.new(@env, JS::Options.new, store).to_s
      memory = JS::Restore::Memory::KeptPlan.new(store, File.realpath(root), surroundings)
      assert_equal 2, memory.load.first.trees.size
      assert_equal 2, restore.linked
      File.write(inside(".npmrc"), "omit=dev\n")
      assert_nil memory.load
    end

    def test_takes_over_a_node_modules_of_npm
      skip "needs npm" unless NpmTools.runs?("npm")
      restore
      _, status = Open3.capture2e(@env, "npm", "ci", chdir: root)
      assert_predicate status, :success?
      report = restore
      refute_predicate report, :noop?
      assert_predicate restore, :noop?
      output, = Open3.capture2e(@env, "npm", "ls", "--all", chdir: root)
      refute_match(/missing|invalid|extraneous/, output)
    end

    # Compared with `npm install`. `npm ci` also removes hidden names; pnpm keeps everything that it did not create.
    def test_unknown_hidden_files_are_kept
      skip "needs npm" unless NpmTools.runs?("npm")
      linked = write("linked/package.json", "{}")
      kept = [-> { restore }, -> { Open3.capture2e(@env, "npm", "install", chdir: root) }].map do |tool|
        restore
        %w[.cache/x .vite/x plain/package.json file].each { |path| write("app/node_modules/#{path}", "mine") }
        File.symlink("../../linked", inside("node_modules/linked"))
        tool.call
        Dir.children(inside("node_modules")).sort
      end
      assert_equal kept[1], kept[0]
      assert_equal "mine", File.read(inside("node_modules/.cache/x"))
      assert_path_exists linked
    end

    def test_a_restore_without_work_loads_few_files
      restore
      script = <<~RUBY
        require "spate"
        store = Spate::Store.open(home: #{File.join(folder, "home").inspect}, env: {})
        before = $LOADED_FEATURES.dup
        report = Spate::JS.restore(root: #{root.inspect}, env: ENV, store: store)
        puts report.noop?, ($LOADED_FEATURES - before).map { |path| path[%r{spate/.*|[^/]+\\z}] }.reject { |path| path.end_with?(".rb.rb") }
      RUBY
      output, = Open3.capture2e(@env, RbConfig.ruby, "--disable-gems",
                                *%w[../../lib ../../../lib].map { |path| "-I#{File.expand_path(path, __dir__)}" },
                                "-e", script)
      noop, *loaded = output.split("\n")
      assert_equal "true", noop, output
      assert_empty loaded.grep(%r{psych|json|digest|native/install|pnpm|npm/|registry|socket})
      assert_operator loaded.size, :<, 20, loaded.join("\n")
    end

    def test_restore_with_a_given_backlog
      backlog = Install::Fetch::Backlog.new(unpacking: 1, connections: 2)
      JS.restore(root: root, env: @env, store: store, backlog: backlog)
      assert_equal "one", File.read(inside("node_modules/b/index.js"))
    end

    def test_events_report_the_progress
      seen = []
      events = Events.new.subscribe { |event| seen << event }
      restore(events: events)
      plan = seen.find { |event| event[:event] == :js_plan }
      assert_equal({ event: :js_plan, total: 2, fetch: 2 }, plan)
      %i[js_fetch_start js_fetch_done js_unpacked js_linked].each do |kind|
        names = seen.filter_map { |event| event[:name] if event[:event] == kind }
        assert_equal %w[a@1.0.0 b@1.0.0], names.sort
      end
    end
  end
end
