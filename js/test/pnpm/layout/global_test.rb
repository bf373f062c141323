# frozen_string_literal: true

require "test_helper"
require "json"
require "open3"
require "support/node_modules_comparison"
require "support/npm_registry"
require "support/npm_tools"

module Spate
  # Compares a global virtual store with pnpm's: the same packages, the same links, and the same names of slots except
  # for dependency cycles.
  class PnpmGlobalTest < Minitest::Test
    SLOT = %r{/links/(?:\h{12}/)?(@[^/]*/[^/]+/[^/]+)/(\h{64})}
    # Fields with the locations of the stores, and with scripts that pnpm did not run.
    PLACES = /#(?:virtualStoreDir|pendingBuilds|ignoredBuilds|allowBuilds)/

    def setup
      skip "no pnpm (bin/setup)" unless NpmTools.path("pnpm")
      @registry = NpmRegistry.start
      cli = { "cli.js" => ["#!/usr/bin/env node\nconsole.log(require('b').name)\n", 0o755] }
      add("a", files: cli, bin: { "a" => "cli.js" }, dependencies: { "b" => "1.0.0" }, peerDependencies: { "p" => "1" })
      add("b", files: { "index.js" => "exports.name = 'b' + require('c')" }, dependencies: { "c" => "1.0.0" })
      add("c", files: { "index.js" => "module.exports = 'c'" }, dependencies: { "b" => "1.0.0", "@s/d" => "1.0.0" })
      add("p")
      add("@s/d", files: cli, bin: { "d" => "cli.js" }, optionalDependencies: { "elsewhere" => "1.0.0" })
      add("elsewhere", os: ["aix"])
      add("built", files: { "index.js" => "module.exports = require('fs').readFileSync(__dirname + '/made', 'utf8')" },
                   scripts: { install: "printf yes > made" }, dependencies: { "b" => "1.0.0" })
      @env = NpmRegistry.env(@registry, home: File.join(folder, "home")).merge("PATH" => NpmTools.search_path)
    end

    def teardown
      @registry&.stop
      super
    end

    def add(name, **more) = @registry.add(name, "1.0.0", **more)
    def store = @store ||= Store.open(home: File.join(folder, "spate"), env: {})
    def at(name) = File.join(folder, name)

    # Creates the project twice, with a lockfile written by pnpm.
    def project(*names, settings: "")
      write("theirs/package.json", JSON.generate(name: "app", dependencies: names.to_h { |name| [name, "1.0.0"] }))
      write("theirs/pnpm-workspace.yaml",
            "enableGlobalVirtualStore: true\nstoreDir: #{at("pnpm-store")}\nminimumReleaseAge: 0\n#{settings}")
      run_in("theirs", "pnpm", "install", "--lockfile-only", "--ignore-scripts")
      FileUtils.cp_r(at("theirs"), at("mine"))
    end

    def run_in(name, *command)
      said, status = Open3.capture2e(@env, *command, chdir: at(name))
      assert_predicate status, :success?, "#{command.join(" ")}: #{said}"
      said
    end

    def pnpm = run_in("theirs", "pnpm", "install", "--frozen-lockfile", "--ignore-scripts")

    def restore(name = "mine", ignore_scripts: true, **options)
      options = JS::Options.new(ignore_scripts: ignore_scripts, **options)
      JS.restore(root: at(name), env: @env, store: store, events: Events.new, options: options)
    end

    # { path => description }. Links are described by their target without the hash of its slot, and shims by the
    # program that they run.
    def tree(root)
      found = NodeModulesComparison.snapshot(root).reject { |path, _| PLACES.match?(path) }
      found.to_h { |path, what| [path, what.to_s.start_with?("link", "executable") ? where("#{root}/#{path}") : what] }
    end

    def where(path)
      path = File.expand_path(File.read(path)[/^# cmd-shim-target=(.*)/, 1] || path, File.dirname(path)) if
        path.include?("/.bin/") && File.file?(path)
      File.realpath(path).sub(SLOT) { "#{Regexp.last_match(1)} " }.delete_prefix(at("pnpm-store/v11"))
          .delete_prefix(store.root)
    end

    # Returns { path without the hash => tree } of all slots in a folder.
    def slots(links)
      Dir.glob("#{links}/@*/*/*/*").to_h { |slot| [slot.delete_prefix("#{links}/")[0...-65], tree(slot)] }
    end

    def theirs = slots(at("pnpm-store/v11/links"))
    def mine = slots(Dir.glob("#{store.path("links")}/*").first)
    def names(links) = Dir.glob("@*/*/*/*", base: links).sort

    def assert_same_tree(found)
      assert_empty NodeModulesComparison.differences(tree(at("theirs")), found)
    end

    def test_tree_equals_that_of_pnpm
      project("a", "p", "@s/d")
      pnpm
      restore

      assert_same_tree tree(at("mine"))
      theirs.each { |slot, expected| assert_empty NodeModulesComparison.differences(expected, mine.fetch(slot)), slot }
      assert_equal %w[@/a @/b @/c @/p @s/d].map { |name| "#{name}/1.0.0" }, mine.keys.sort
      ours = names(Dir.glob("#{store.path("links")}/*").first)

      assert_equal(%w[@/p @s/d], (names(at("pnpm-store/v11/links")) & ours).map { |slot| slot[%r{\A[^/]+/[^/]+}] })
    end

    def test_node_and_pnpm_find_the_packages
      project("a", "p", "@s/d")
      pnpm
      restore

      assert_equal "bc\n", run_in("mine", "node_modules/.bin/a")
      assert_equal "bc", run_in("mine", "node", "-p", "require('./node_modules/.pnpm/node_modules/b').name").chomp
      assert_equal(*%w[theirs mine].map { |name| run_in(name, "pnpm", "ls").gsub(name, "") })
      assert_predicate restore, :noop?
    end

    def test_switching_between_layouts
      project("a", "p")
      write("mine/node_modules/.cache/x", "kept")
      restore(global_virtual_store: false)
      assert_path_exists at("mine/node_modules/.pnpm/a@1.0.0_p@1.0.0/node_modules/a")
      restore

      pnpm
      assert_same_tree tree(at("mine")).except("node_modules/.cache", "node_modules/.cache/x")
      restore(global_virtual_store: false)
      assert_equal "bc\n", run_in("mine", "node_modules/.bin/a")
      refute_includes Dir.glob("#{at("mine")}/node_modules/**/*").map { |path| File.realpath(path) }.join, "/links/"
    end

    ["allowBuilds: {built: true}", "allowBuilds: {'built@1.0.0 || 2.0.0': true}", "dangerouslyAllowAllBuilds: true"]
      .each_with_index do |settings, number|
      define_method(:"test_what_a_script_makes_is_the_projects_own_#{number}") { assert_own(settings) }
    end

    def assert_own(settings)
      project("built", settings: "#{settings}\n")
      restore(ignore_scripts: false)

      assert_equal "yes", run_in("mine", "node", "-e", "process.stdout.write(require('built'))")
      assert File.realpath(at("mine/node_modules/built")).start_with?(File.realpath(at("mine")))
      assert_equal %w[@/b @/c @s/d].map { |name| "#{name}/1.0.0" }, mine.keys.sort unless settings.include?("All")
    end

    def test_moved_store_behind_a_link
      project("p")
      FileUtils.mkdir_p(at("one"))
      File.symlink("one", at("spate"))
      restore
      File.rename(at("one"), at("two"))
      FileUtils.rm_f(at("spate"))
      File.symlink("two", at("spate"))
      restore

      assert File.realpath(at("mine/node_modules/p")).start_with?(File.realpath(at("two")))
      assert_predicate restore, :noop?
    end

    def test_both_names_of_the_setting_and_values_left_to_pnpm
      project("p", settings: "virtualStoreType: project\n")
      restore
      assert_path_exists at("mine/node_modules/.pnpm/p@1.0.0/node_modules/p")
      FileUtils.rm_rf([at("theirs"), at("mine")])
      project("p", settings: "globalVirtualStoreDir: #{at("elsewhere")}\n")

      assert_match(/globalVirtualStoreDir/, restore.handed_over)
    end
  end
end
