# frozen_string_literal: true

require "test_helper"
require "json"
require "minitest/mock"
require "support/npm_registry"

module Spate
  # An edit of an input during a restore is applied by that restore or by the next one.
  class JSRestoreEditsTest < Minitest::Test
    def setup
      @registry = NpmRegistry.start
      %w[1.0.0 2.0.0].each { |version| @registry.add("b", version, files: { "index.js" => version }) }
      @registry.add("c", "1.0.0")
      @env = NpmRegistry.env(@registry, home: File.join(folder, "userhome")).merge("PATH" => ENV.fetch("PATH"))
    end

    def teardown
      @registry.stop
      super
    end

    def root = File.join(folder, "app")
    def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})
    def inside(path) = File.join(root, path)
    def found(name) = (JSON.parse(File.read(inside("node_modules/#{name}/package.json")))["version"] if there?(name))
    def there?(name) = File.exist?(inside("node_modules/#{name}"))

    # Writes a project that depends on this version of b, and on c for development.
    def npm(version)
      needs = { dependencies: { "b" => version }, devDependencies: { "c" => "1.0.0" } }
      write("app/package.json", JSON.generate({ name: "app", **needs }))
      write("app/package-lock.json", JSON.generate({ name: "app", lockfileVersion: 3, packages: {
                                                     "" => needs, "node_modules/b" => place("b", version),
                                                     "node_modules/c" => { dev: true, **place("c", "1.0.0") }
                                                   } }))
    end

    def place(name, version)
      { version: version, resolved: @registry.resolved(name, version), integrity: @registry.integrity(name, version) }
    end

    def pnpm(version)
      write("app/package.json", JSON.generate({ name: "app", dependencies: { "b" => version } }))
      write("app/pnpm-lock.yaml", JSON.generate({
                                                  lockfileVersion: "9.0", snapshots: { "b@#{version}": {} },
                                                  importers: { ".": { dependencies: {
                                                    b: { specifier: version, version: version }
                                                  } } },
                                                  packages: { "b@#{version}": {
                                                    resolution: { integrity: @registry.integrity("b", version) }
                                                  } }
                                                }))
    end

    # Calls the block once, after the plan is made and before any change.
    def restore(&edit)
      events = Events.new.subscribe do |event|
        next unless event[:event] == :js_plan && edit

        edit.call
        edit = nil
      end
      JS.restore(root: root, env: @env, store: store, events: events)
    end

    # Calls the block once, after all inputs are read and before the plan is returned.
    def restore_late(room, &edit)
      original = room.method(:plan)
      late = lambda do |*arguments, **options|
        original.call(*arguments, **options).tap do
          edit&.call
          edit = nil
        end
      end
      room.stub(:plan, late) { restore }
    end

    # Edits a file in place, without changing its size and mtime.
    def sneak(path, from, to)
      stat = File.stat(inside(path))
      File.open(inside(path), "r+") { |file| file.write(File.read(inside(path)).gsub(from, to)) }
      File.utime(stat.atime, stat.mtime, inside(path))
      assert_equal [stat.size, stat.ino, stat.mtime], File.stat(inside(path)).then { |now|
                                                        [now.size, now.ino, now.mtime]
                                                      }
    end

    def test_a_lockfile_edited_during_a_restore_is_restored_by_the_next
      { npm: method(:npm), pnpm: method(:pnpm) }.each_value do |lock|
        FileUtils.rm_rf(root)
        lock.call("1.0.0")
        restore { lock.call("2.0.0") }
        assert_equal "1.0.0", found("b")
        restore { lock.call("1.0.0") } # neither stored plan is used
        assert_equal "2.0.0", found("b")
        restore
        assert_equal "1.0.0", found("b")
        assert_predicate restore, :noop?
        lock.call("2.0.0")
        restore { lock.call("1.0.0") }
        restore
        assert_equal "1.0.0", found("b")
      end
    end

    def test_settings_changed_during_a_restore_are_used_by_the_next
      npm("1.0.0")
      restore { write("app/.npmrc", "omit=dev\n") }
      assert there?("c")
      restore { File.unlink(inside(".npmrc")) }
      refute there?("c")
      restore
      assert there?("c")
      assert_predicate restore, :noop?
    end

    def test_workspace_added_during_a_restore_is_noticed_by_the_next
      pnpm("1.0.0")
      write("app/pnpm-workspace.yaml", "packages: ['packages/*']\n")
      FileUtils.mkdir_p(inside("packages"))
      sleep 0.05
      restore { write("app/packages/two/package.json", JSON.generate({ name: "two", dependencies: { a: "1" } })) }
      assert_raises(JS::DisagreementError) { restore }
      %w[packages/two node_modules].each { |path| FileUtils.rm_rf(inside(path)) }
      restore { write("app/pnpm-workspace.yaml", "packages: [two]\n") }
      write("app/two/package.json", JSON.generate({ name: "two", dependencies: { a: "1" } }))
      assert_raises(JS::DisagreementError) { restore }
    end

    def test_files_edited_while_they_are_read_are_read_again
      npm("1.0.0")
      restore_late(JS::Npm) { npm("2.0.0") }
      assert_equal "2.0.0", found("b")
      assert_predicate restore, :noop?
      pnpm("1.0.0")
      FileUtils.rm_rf(inside("package-lock.json"))
      restore_late(JS::Pnpm) { pnpm("2.0.0") }
      assert_equal "2.0.0", found("b")
      assert_predicate restore, :noop?
    end

    def test_settings_removed_while_they_are_read_are_read_again
      npm("1.0.0")
      write("app/.npmrc", "omit=dev\n")
      restore_late(JS::Npm) { File.unlink(inside(".npmrc")) }
      assert there?("c")
    end

    # The clock of file times advances in ticks: a file read and written in the same tick keeps its mtime.
    def test_edit_that_keeps_size_and_times_is_noticed_immediately
      20.times do
        FileUtils.rm_rf(root)
        npm("1.0.0")
        assert_raises(JS::Restore::ChecksumError) do
          restore_late(JS::Npm) { sneak("package-lock.json", "b-1.0.0.tgz", "b-2.0.0.tgz") }
        end
      end
    end

    def test_plans_once_without_a_writable_store
      npm("1.0.0")
      store.define_singleton_method(:writable_store) { nil }
      plans = 0
      original = JS::Npm.method(:plan)
      JS::Npm.stub(:plan, ->(*given, **more) { (plans += 1) && original.call(*given, **more) }) { restore }
      assert_equal 1, plans
    end

    def test_a_link_to_settings_is_followed
      npm("1.0.0")
      write("dotfiles/npmrc", "omit=optional\n")
      File.symlink("../dotfiles/npmrc", inside(".npmrc"))
      restore
      assert_predicate restore, :noop?
      write("dotfiles/npmrc", "omit=dev\n")
      restore
      refute there?("c")
    end

    def test_touched_file_is_hashed_once_and_causes_no_restore
      npm("1.0.0")
      restore
      sleep 0.05
      restore
      File.write(inside("package-lock.json"), File.read(inside("package-lock.json")))
      sleep 0.05
      assert_predicate restore, :noop?
      record = JS::Restore::Memory::Record.load(store, File.realpath(root))
      assert record.sources.same?
      refute_predicate record.sources, :worn?
    end
  end
end
