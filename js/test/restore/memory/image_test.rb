# frozen_string_literal: true

require "test_helper"
require "json"
require "support/npm_registry"

module Spate
  # A project without node_modules is restored from the image of an earlier restore, with the result of a plan.
  class JSRestoreImageTest < Minitest::Test
    IMAGES = JS::Restore::Memory::Image::KIND

    def setup
      @registry = NpmRegistry.start
      @registry.add("a", "1.0.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755], "lib/x/y.js" => "y" },
                                  bin: { "a" => "cli.js" })
      @registry.add("b", "1.0.0", files: { "index.js" => "b" })
      @env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))
    end

    def teardown
      @registry.stop
      super
    end

    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

    def restore(name, events: Events.new, **options)
      JS.restore(root: File.join(folder, name), env: @env, store: store, events: events,
                 options: JS::Options.new(**options))
    end

    # Whether the block restored from an image. An unusable image raises nothing.
    def repeated?
      called = []
      execution = JS::Restore::Execution
      execution.define_method(:call_counted, execution.instance_method(:call))
      execution.define_method(:call) { call_counted.tap { called << true } }
      yield
      called.empty?
    ensure
      execution.alias_method(:call, :call_counted)
      execution.remove_method(:call_counted)
    end

    def pnpm(name)
      found = { integrity: @registry.integrity("a", "1.0.0") }
      write("#{name}/package.json", JSON.generate({ name: "app", packageManager: "pnpm@12.0.0",
                                                    dependencies: { a: "1.0.0", b: "1.0.0" } }))
      write("#{name}/pnpm-workspace.yaml", "storeDir: ./own\nminimumReleaseAge: 0\n")
      named = %w[a b].to_h { |each| [each, { specifier: "1.0.0", version: "1.0.0" }] }
      locked = { "a@1.0.0": { resolution: found, hasBin: true },
                 "b@1.0.0": { resolution: { integrity: @registry.integrity("b", "1.0.0") } } }
      write("#{name}/pnpm-lock.yaml", <<~YAML)
        ---
        lockfileVersion: "9.0"
        importers: { .: { packageManagerDependencies: { pnpm: { specifier: 12.0.0, version: 12.0.0 } } } }
        ---
        #{JSON.generate({ lockfileVersion: "9.0", importers: { ".": { dependencies: named } }, packages: locked,
                          snapshots: { "a@1.0.0": { dependencies: { b: "1.0.0" } }, "b@1.0.0": {} } })}
      YAML
    end

    def npm(name)
      root = { name: "app", dependencies: { a: "1.0.0", b: "1.0.0" } }
      locked = %w[a b].to_h do |each|
        ["node_modules/#{each}", { version: "1.0.0", resolved: @registry.resolved(each, "1.0.0"),
                                   integrity: @registry.integrity(each, "1.0.0") }]
      end
      locked["node_modules/a"][:bin] = { a: "cli.js" }
      write("#{name}/package.json", JSON.generate(root))
      write("#{name}/package-lock.json", JSON.generate({ name: "app", lockfileVersion: 3, requires: true,
                                                         packages: { "": root, **locked } }))
    end

    # { path => mode and content, or target }, without the time of the restore.
    def all(name)
      root = File.join(folder, name)
      Dir.glob("node_modules/**/*", File::FNM_DOTMATCH, base: root).to_h do |path|
        full = File.join(root, path)
        next [path, File.readlink(full)] if File.symlink?(full)

        [path, [File.stat(full).mode, (content(full, root) if File.file?(full))]]
      end
    end

    def content(path, root)
      File.read(path).gsub(/"(?:prunedAt|lastValidatedTimestamp)": .*/, "").gsub(root, "ROOT")
    end

    def record(name)
      root = "#{File.realpath(File.join(folder, name))}/node_modules"
      Store::BundleRecord.load(store, root)
    end

    def images = Dir.glob("*", base: store.path(IMAGES))

    # Restores the first project, which stores the image.
    def begin_with(tool, *names)
      [*names, "first"].each { |name| send(tool, name) }
      restore("first")
      assert_equal 1, images.size
    end

    def test_clone_is_the_same_as_with_a_plan
      %i[pnpm npm].each do |tool|
        FileUtils.rm_rf(%w[first far/clone].map { |name| File.join(folder, name) } << store.path(IMAGES))
        begin_with(tool, "far/clone")
        assert(repeated? { @report = restore("far/clone") }, tool)
        assert_equal all("first"), all("far/clone")
        assert_equal [2, 2, 2, 0], [@report.total, @report.linked, @report.from_store, @report.fetched]
        assert_equal record("first").trees.map(&:path), record("far/clone").trees.map(&:path)
        assert_equal record("first").packages, record("far/clone").packages
        assert_predicate restore("far/clone"), :noop?
      end
    end

    def test_restored_files_are_those_of_the_store
      begin_with(:npm, "clone")
      restore("clone")
      files = %w[first clone].map { |name| File.stat(File.join(folder, name, "node_modules/a/lib/x/y.js")) }
      assert_equal files[0].ino, files[1].ino
    end

    def test_an_edit_is_repaired_and_not_passed_on
      begin_with(:pnpm, "clone", "third")
      inside = "node_modules/.pnpm/b@1.0.0/node_modules/b/index.js"
      File.write(File.join(folder, "first", inside), "edited")
      refute(repeated? { restore("clone") })
      assert_equal "b", File.read(File.join(folder, "clone", inside))
      assert(repeated? { restore("third") }, "the repaired package has no image")
      assert_equal "b", File.read(File.join(folder, "third", inside))
    end

    def test_failed_attempt_leaves_nothing
      begin_with(:npm, "clone")
      FileUtils.rm_rf(store.path("objects"))
      @registry.stop
      assert_raises(Spate::Error) { restore("clone") }
      refute_path_exists File.join(folder, "clone/node_modules")
    end

    def test_existing_node_modules_needs_a_plan
      begin_with(:npm, "clone")
      write("clone/node_modules/own/file", "")
      refute(repeated? { restore("clone") })
      refute_path_exists File.join(folder, "clone/node_modules/own")
    end

    def test_a_link_is_not_followed
      begin_with(:npm, "clone")
      Dir.mkdir(outside = File.join(folder, "outside"))
      File.symlink(outside, File.join(folder, "clone/node_modules"))
      assert_raises(JS::Restore::FolderError) { restore("clone") }
      assert_empty Dir.children(outside)
    end

    def test_changed_sources_need_a_plan
      begin_with(:npm, "clone")
      write("clone/.npmrc", "omit=dev\n")
      refute(repeated? { restore("clone") })
    end

    def test_packages_whose_scripts_run_have_no_image
      @registry.add("a", "1.0.0", scripts: { install: "touch made" })
      npm("first")
      write("first/package.json", JSON.generate({ name: "app", dependencies: { a: "1.0.0", b: "1.0.0" },
                                                  allowScripts: { a: true } }))
      restore("first")
      assert_empty images
    end

    def test_image_that_another_user_could_write_is_not_read
      begin_with(:npm, "clone")
      File.chmod(0o666, store.path(IMAGES, images.first))
      refute(repeated? { restore("clone") })
    end

    def test_damaged_image_is_not_used
      begin_with(:npm, "clone", "third")
      path = store.path(IMAGES, images.first)
      bytes = File.binread(path)
      bytes.setbyte(200, bytes.getbyte(200) ^ 1)
      File.binwrite(path, bytes)
      refute(repeated? { restore("clone") })
      assert_equal all("first"), all("clone")
      assert(repeated? { restore("third") })
    end

    def test_restore_succeeds_if_no_image_can_be_stored
      npm("first")
      write("home/store/v1/#{IMAGES}", "")
      assert_equal 2, restore("first").linked
    end

    def test_events_are_those_of_a_plan
      begin_with(:npm, "clone")
      seen = []
      restore("clone", events: Events.new.subscribe { |event| seen << event[:event] })
      assert_equal %i[js_plan js_link_done js_linked js_linked], seen
    end
  end
end
