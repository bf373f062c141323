# frozen_string_literal: true

require "test_helper"
require "json"
require "support/npm_registry"

module Spate
  # A clone of a restored project is restored without planning, with the same result as with planning.
  class JSRestoreOtherFolderTest < Minitest::Test
    FILES = %w[package.json pnpm-workspace.yaml pnpm-lock.yaml packages/one/package.json].freeze
    Planned = Class.new(StandardError)

    def setup
      @registry = NpmRegistry.start
      @registry.add("a", "1.0.0", files: { "cli.js" => ["#!/usr/bin/env node\n", 0o755] }, bin: { "a" => "cli.js" })
      @env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))
    end

    def teardown
      @registry.stop
      super
    end

    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

    def restore(name, **options)
      JS.restore(root: File.join(folder, name), env: @env, store: store, events: Events.new,
                 options: JS::Options.new(**options))
    end

    # Raises Planned if a plan is made in the block.
    def unplanned
      tools = [JS::Npm, JS::Pnpm]
      tools.each do |tool|
        tool.singleton_class.alias_method(:as_it_was, :plan)
        tool.define_singleton_method(:plan) { |*, **| raise Planned }
      end
      yield
    ensure
      tools.each { |tool| tool.singleton_class.alias_method(:plan, :as_it_was) }
    end

    def pnpm(name)
      write("#{name}/package.json", JSON.generate({ name: "app", packageManager: "pnpm@12.0.0",
                                                    dependencies: { a: "1.0.0", one: "workspace:*" } }))
      write("#{name}/pnpm-workspace.yaml", "packages: ['packages/*']\nstoreDir: ./own\n")
      write("#{name}/packages/one/package.json", JSON.generate({ name: "one" }))
      write("#{name}/pnpm-lock.yaml", <<~YAML)
        ---
        lockfileVersion: "9.0"
        importers: { .: { packageManagerDependencies: { pnpm: { specifier: 12.0.0, version: 12.0.0 } } } }
        ---
        #{JSON.generate({ lockfileVersion: "9.0", **locked })}
      YAML
    end

    def locked
      named = { a: { specifier: "1.0.0", version: "1.0.0" },
                one: { specifier: "workspace:*", version: "link:packages/one" } }
      { importers: { ".": { dependencies: named }, "packages/one": {} }, snapshots: { "a@1.0.0": {} },
        packages: { "a@1.0.0": { resolution: { integrity: @registry.integrity("a", "1.0.0") }, hasBin: true } } }
    end

    def npm(name)
      root = { name: "app", dependencies: { a: "1.0.0" } }
      a = { version: "1.0.0", resolved: @registry.resolved("a", "1.0.0"), bin: { a: "cli.js" },
            integrity: @registry.integrity("a", "1.0.0") }
      write("#{name}/package.json", JSON.generate(root))
      write("#{name}/package-lock.json", JSON.generate({ name: "app", lockfileVersion: 3, requires: true,
                                                         packages: { "": root, "node_modules/a": a } }))
    end

    # { path => content }, without the time of the restore.
    def all(name)
      root = File.join(folder, name)
      Dir.glob("**/node_modules/**/*", File::FNM_DOTMATCH, base: root).to_h do |path|
        full = File.join(root, path)
        next [path, File.readlink(full)] if File.symlink?(full)

        [path, [File.stat(full).mode, (content(full, root) if File.file?(full))]]
      end
    end

    def content(path, root)
      File.read(path).gsub(/"(?:prunedAt|lastValidatedTimestamp)": .*/, "").gsub(root, "ROOT")
    end

    def test_a_clone_is_restored_without_planning
      %i[pnpm npm].each do |tool|
        names = %w[first clones/second planned].map { |name| "#{tool}/#{name}" }
        names.each { |name| send(tool, name) }
        restore(names[0])
        assert_equal 1, unplanned { restore(names[1]) }.linked
        FileUtils.rm_rf(store.path("js-plans"))
        restore(names[2])
        assert_equal all(names[2]), all(names[1])
        assert_predicate restore(names[1]), :noop?
      end
    end

    def test_shared_trees_are_valid_for_a_sibling_folder
      %w[first second far/third].each { |name| pnpm(name) }
      restore("first", global_virtual_store: true)
      unplanned { restore("second", global_virtual_store: true) }
      assert_path_exists File.join(folder, "second/node_modules/a/cli.js")
      assert_raises(Planned) { unplanned { restore("far/third", global_virtual_store: true) } }
      restore("far/third", global_virtual_store: true)
      assert_path_exists File.join(folder, "far/third/node_modules/a/cli.js")
    end

    def test_changed_sources_are_noticed_in_the_other_folder
      pnpm("first")
      restore("first")
      edits = FILES.to_h { |path| [path, ->(full) { File.write(full, "#{File.read(full)}\n") }] }
      edits.merge!(".npmrc" => ->(full) { File.write(full, "omit=dev\n") },
                   "packages/two/package.json" => ->(full) { write(full.delete_prefix("#{folder}/"), "{}") },
                   "package-lock.json" => ->(full) { File.write(full, "{}") })
      edits.each_with_index do |(path, edit), number|
        pnpm("other#{number}")
        edit.call(File.join(folder, "other#{number}/#{path}"))
        assert_raises(Planned, path) { unplanned { restore("other#{number}") } }
      end
      pnpm("same")
      unplanned { restore("same") }
    end

    def test_plan_of_another_project_with_the_same_lockfile_is_not_used
      pnpm("first")
      restore("first")
      pnpm("other")
      write("other/pnpm-workspace.yaml", "packages: ['packages/*']\nstoreDir: ./own\nhoist: false\n")
      restore("other")
      assert_path_exists File.join(folder, "other/node_modules/a/cli.js")
      refute_path_exists File.join(folder, "other/node_modules/.pnpm/node_modules/a")
    end
  end
end
