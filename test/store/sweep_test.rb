# frozen_string_literal: true

require "test_helper"

module Spate
  class Store
    class SweepTest < Minitest::Test
      DAY = 24 * 60 * 60

      def store = @store ||= Store.open(home: File.join(folder, "home"), env: {})

      def test_only_old_files_of_dead_processes_are_removed
        dead = temporary(gone_pid)
        living = temporary(Process.pid)
        assert_equal [], Sweep.new(store).stale
        assert_equal [dead], Sweep.new(store, now: Time.now + (2 * DAY)).stale
        assert_equal [dead, living].sort, Sweep.new(store, now: Time.now + (8 * DAY)).stale.sort
      end

      def test_removes_trees
        dead = temporary(gone_pid)
        assert_equal 1, Sweep.new(store, now: Time.now + (2 * DAY)).call
        refute_path_exists dead
      end

      def test_a_tree_of_any_depth
        deep = temporary(gone_pid)
        text = "2000.times { Dir.mkdir('node_modules') && Dir.chdir('node_modules') }"
        assert system(RbConfig.ruby, "--disable-gems", "-e", text, chdir: deep)
        Sweep.remove([deep, "#{deep}-that-is-gone"])
        refute_path_exists deep
      end

      def test_the_first_write_of_a_process_sweeps
        dead = temporary(gone_pid)
        File.utime(old = Time.now - (2 * DAY), old, dead)
        Store.open(home: store.home, env: {}).write("checks", "key", "text")
        refute_path_exists dead
      end

      def test_temporary_files_beside_manifests
        store.make(store.path("packages"))
        File.write(stray = store.path("packages", "#{"a" * 64}.#{gone_pid}.tmp"), "half")
        File.write(store.path("packages", "a" * 64), "whole")
        assert_equal [stray], Sweep.new(store, now: Time.now + (2 * DAY)).stale
      end

      private

      def temporary(pid)
        store.make(store.path("tmp"))
        path = store.path("tmp", "tree-#{pid}-#{"0" * 16}")
        FileUtils.mkdir_p(File.join(path, "lib"))
        File.write(File.join(path, "lib/a.rb"), "")
        path
      end

      def gone_pid
        pid = spawn("true")
        Process.wait(pid)
        pid
      end
    end
  end
end
