# frozen_string_literal: true

require_relative "restore_case"
require "support/test_disk"

module Spate
  # Restores that are killed, run out of disk space, or run at the same time. Files that are recorded as restored must
  # be correct, and the next restore must complete node_modules.
  class JSRestoreInterruptionTest < RestoreCase
    ROUNDS = 15

    def setup
      @random = Random.new(Spate.test_seed)
      @plans = Array.new(3) { |number| many(number) }
    end

    # Thirty packages at the same paths in every plan. Those with odd numbers have other content in each plan. Ten are
    # also nested in p0, p1 or p2, depending on the plan.
    def many(number)
      files = Array.new(20) { |index| ["lib/#{index}.js", "#{number} #{index}\n" * 50] }.to_h
      made = Array.new(30) do |index|
        shared = index.even? ? 0 : number
        package("p#{index}", "1.0.#{shared}", json: { bin: "lib/0.js" }, files: index.even? ? {} : files)
      end
      trees = made.map { |package| tree("node_modules/#{package.name}", package) }
      trees += made.drop(20).map { |package| tree("node_modules/p#{number}/node_modules/#{package.name}", package) }
      plan(*trees, links: { "node_modules/link" => number.to_s })
    end

    # Restores in a child process, with a separate Store object for the same folder.
    def child(plan, home: File.join(folder, "home"))
      fork do
        $stderr.reopen(File::NULL)
        restore(plan, store: Store.open(home: home, env: {}))
        exit!(0)
      rescue Exception # rubocop:disable Lint/RescueException -- minitest must not run in the child
        exit!(1)
      end
    end

    def differences(plan)
      context = JS::Restore::Context.new(root: root, env: {}, store: store, events: Events.new,
                                         options: JS::Options.new)
      JS::Restore::Check.new(context, plan).call.differences.map(&:to_s)
    end

    def assert_right(plan)
      assert_empty differences(plan)
      assert JS::Restore::Memory::Record.load(store, root).hold?("here")
      paths = plan.trees.map { |tree| tree.path.delete_prefix("node_modules/") }
      assert_equal [], paths.grep_v(%r{/}) - Dir.children(inside("node_modules"))
    end

    def test_killed_at_any_time
      time = measure { Process.wait(child(@plans[0])) }
      ROUNDS.times do |round|
        wanted = @plans[@random.rand(3)]
        pid = child(wanted)
        sleep(@random.rand * time * 1.2)
        Process.kill(:KILL, pid)
        Process.wait(pid)
        # Every third round, the next restore must complete node_modules.
        next unless round % 3 == 2

        restore(wanted)
        assert_right(wanted)
      end
    end

    # Either everything or nothing is placed. The fetched packages are in the store.
    def test_interrupted_at_any_time_without_a_node_modules
      time = measure { Process.wait(child(@plans[0])) }
      codes = Array.new(ROUNDS) do |round|
        FileUtils.rm_rf(inside("node_modules"))
        pid = interruptible(@plans[0], File.join(folder, "home#{round % 3}"))
        sleep(@random.rand * time)
        Process.kill(%i[INT TERM][round % 2], pid)
        code = Process.wait2(pid).last.exitstatus
        assert_empty differences(@plans[0]) if code.zero? || File.exist?(inside("node_modules"))
        code
      end
      assert_includes codes, 130
      assert_equal [], codes - [0, 130]
      assert_equal [], (0..2).flat_map { |round| Dir.glob("#{folder}/home#{round}/store/v1/tmp/*") }
    end

    def interruptible(plan, home)
      ready, tell = IO.pipe
      pid = fork do
        CLI::Signals.guard do
          tell.write("x")
          restore(plan, store: Store.open(home: home, env: {}))
        end
        exit!(0)
      rescue Interrupted, ::Interrupt
        exit!(130)
      rescue Exception # rubocop:disable Lint/RescueException -- minitest must not run in the child
        exit!(1)
      end
      ready.read(1)
      pid
    end

    # The other packages are in the store, so they are placed before the failure.
    def test_failure_without_a_node_modules_leaves_none
      restore(@plans[0])
      FileUtils.rm_rf(inside("node_modules"))
      write("app/packages/w/package.json", "{}")
      wanted = plan(*@plans[0].trees, tree("packages/w/node_modules/late", package("late")), projects: %w[. packages/w])
      client.archives["late@1.0.0"] = Error.new("gone")
      assert_raises(Error) { restore(wanted) }
      assert_equal %w[package.json packages packages/w packages/w/package.json], all(".")
      assert_empty Dir.children(store.path("tmp"))
    end

    def measure
      started = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      yield
      Process.clock_gettime(Process::CLOCK_MONOTONIC) - started
    end

    def test_a_record_is_removed_before_its_files_change
      restore(@plans[0])
      (1..10).each do |step|
        pid = child(@plans[step % 3])
        sleep(@random.rand * 0.05)
        Process.kill(:KILL, pid)
        Process.wait(pid)
        record = JS::Restore::Memory::Record.load(store, root)
        next unless record&.hold?("here")

        state = read("node_modules/.state").split("\n").grep(%r{\Anode_modules/})
        assert_equal [], state.reject { |path| File.exist?(inside("#{path}/package.json")) }
      end
    end

    def test_concurrent_restores_of_one_project
      pids = Array.new(8) { child(@plans[1]) }
      assert_equal [0] * 8, pids.map { |pid| Process.wait2(pid).last.exitstatus }
      assert_right(@plans[1])
      assert_empty Dir.children(store.path("tmp"))
    end

    def test_concurrent_restores_of_two_projects
      other = @plans[0].dup
      other.root = File.realpath(File.dirname(write("other/package.json", "{}")))
      other.inputs = []
      pids = [child(@plans[0]), child(other)]
      assert_equal [0, 0], pids.map { |pid| Process.wait2(pid).last.exitstatus }
      assert_right(@plans[0])
      assert_path_exists File.join(other.root, "node_modules/p29/lib/3.js")
    end

    # The result is that of the last restore, as after an edit between two restores.
    def test_concurrent_restores_of_different_lockfiles
      3.times do
        pids = Array.new(6) { |index| child(@plans[index % 3]) }
        assert_equal [0] * 6, pids.map { |pid| Process.wait2(pid).last.exitstatus }
        trees = ->(plan) { plan.trees.to_h { |tree| [tree.path, tree.package.full_name] } }
        last = @plans.find { |plan| trees[plan] == found }
        refute_nil last
        assert_right(last)
      end
    end

    # { path of a package => its full name }
    def found
      all.grep(%r{/package\.json\z}).to_h do |path|
        json = JSON.parse(read("node_modules/#{path}"))
        ["node_modules/#{File.dirname(path)}", "#{json["name"]}@#{json["version"]}"]
      end
    end

    # While two projects are restored repeatedly, packages that only one of them needs are pruned and fetched again.
    def test_two_projects_and_prune_in_one_store
      other = @plans[2].dup
      other.root = File.realpath(File.dirname(write("other/package.json", "{}")))
      other.inputs = []
      pruner = fork { loop { prune } }
      4.times do |round|
        pids = [child(@plans[round % 2]), child(other)]
        assert_equal [0, 0], pids.map { |pid| Process.wait2(pid).last.exitstatus }
        FileUtils.rm_rf(inside("node_modules/p3")) if round.odd?
      end
      pruner = stop(pruner)
      prune
      [@plans[1], other].each do |plan|
        @root = plan.root
        restore(plan)
        assert_right(plan)
        assert_empty Dir.children(store.path("tmp"))
      end
    ensure
      stop(pruner)
    end

    def prune
      Store::Prune.new(Store.open(home: File.join(folder, "home"), env: {}), older_than: 0, now: Time.now + 10).call
    end

    def stop(pid)
      return unless pid

      Process.kill(:KILL, pid)
      Process.wait(pid)
      nil
    end

    def test_complete_read_only_store
      skip "needs root, for mounts" unless Process.euid.zero?
      home = mount_store
      restore(@plans[0], store: Store.open(home: home, env: {}))
      assert system("mount", "-o", "remount,ro", home)
      FileUtils.rm_rf(inside("node_modules"))
      report = restore(@plans[0], store: Store.open(home: home, env: {}))
      assert_equal [40, 0], [report.linked, report.fetched]
      assert_equal "0", File.readlink(inside("node_modules/link"))
      error = assert_raises(Store::ReadOnly) { restore(@plans[1], store: Store.open(home: home, env: {})) }
      assert_equal 9, error.exit_code
      assert_path_exists inside("node_modules/p29/lib/3.js")
    end

    # A restore without space fails, and keeps the existing files.
    def test_a_project_that_is_full_or_read_only
      skip TestDisk.obstacle(:ext4) if TestDisk.obstacle(:ext4)
      disk = TestDisk.new(:ext4, File.join(folder, "image"))
      disk.mount(@mount = root)
      write("app/package.json", "{}")
      fill = fill(root)
      error = assert_raises(Store::Full) { restore(@plans[0], options: JS::Options.new(copy: true)) }
      assert_match(%r{no space left for #{root}/node_modules}, error.message)
      File.unlink(fill)
      restore(@plans[0])
      assert system("mount", "-o", "remount,ro", root)
      error = assert_raises(JS::Restore::FolderError) { restore(@plans[1]) }
      assert_match(%r{cannot write #{root}/node_modules.*Read-only}, error.message)
      assert_equal [9, "make it writable for user 0"], [error.exit_code, error.hint]
      assert_path_exists inside("node_modules/p29/lib/3.js")
    end

    def mount_store
      FileUtils.mkdir_p(@mount = File.join(folder, "mounted"))
      system("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", @mount) || skip("no tmpfs here")
      @mount
    end

    def teardown
      system("umount", "-l", @mount, err: File::NULL) if @mount
      super
    end

    def fill(folder)
      File.open(path = File.join(folder, "fill"), "wb") { |file| loop { file.syswrite("x" * 4096) } }
    rescue Errno::ENOSPC
      path
    end

    def test_a_full_disk
      skip TestDisk.obstacle(:ext4) if TestDisk.obstacle(:ext4)
      disk = TestDisk.new(:ext4, File.join(folder, "image"))
      disk.mount(mounted = File.join(folder, "mounted"))
      fill = fill(mounted)
      small = Store.open(home: File.join(mounted, "home"), env: {})
      error = assert_raises(Store::Full) { restore(@plans[0], store: small) }
      assert_match(/no space left/, error.message)
      File.unlink(fill)
      restore(@plans[0], store: small)
      assert_equal "0 3\n" * 50, read("node_modules/p29/lib/3.js")
    ensure
      disk&.unmount
    end
  end
end
