# frozen_string_literal: true

require_relative "compile_cache_case"

module Spate
  module CompileCache
    # Concurrent builders make each compile cache once. Killed builders, full disks and read-only folders leave no
    # partial one.
    class BuildersTest < CompileCacheCase
      GEMS = 24

      def setup
        @gems = (1..GEMS).map do |number|
          dir = "#{folder}/gems/g#{number}-1.0"
          5.times { |file| write("gems/g#{number}-1.0/lib/g#{number}/f#{file}.rb", "$loaded = #{file}\n" * 40) }
          dir
        end
        sleep 0.03
      end

      def test_two_at_once_make_each_compile_cache_once
        counts = 4.times.map { builder { build(gems: @gems, jobs: 1).built } }.map { |pipe| Integer(pipe.read) }
        assert_equal GEMS, counts.sum
        assert_whole(GEMS)
      end

      def test_second_builder_exits
        caches.make
        Lock.hold(caches.lock_path(location)) do
          report = nil
          Thread.new { report = Builder::ApplicationBuild.new(location, caches: caches).call }.join
          assert report.busy
        end
        refute_path_exists application_path
      end

      def test_killed_builder_leaves_complete_compile_caches
        10.times do |number|
          pid = fork do
            Process.setpgrp
            build(gems: @gems, jobs: 2)
            exit!(0)
          end
          sleep 0.03 * number
          kill(pid)
          assert_whole(0)
        end
        build(gems: @gems)
        assert_whole(GEMS)
        Prune.new(caches.store_root, now: Time.now + (2 * Prune::HOUR)).call
        assert_empty Dir.glob("#{caches.folder}/**/*").select { |path| File.file?(path) }.grep_v(/\.compiled\z/)
        assert_whole(GEMS)
      end

      def test_a_full_disk_costs_one_warning
        on_a_disk_of("96k") do |path|
          report = build(gems: @gems)
          assert_operator report.warnings.size, :>=, 1
          assert_equal 1, @warned.size, @warned.inspect
          assert_match(/No space left/, @warned.first)
          assert_whole(0)
          system("mount", "-o", "remount,size=50m", path, exception: true)
          @warned = nil
          assert_empty build(gems: @gems).warnings
          assert_whole(GEMS)
        end
      end

      def test_a_read_only_place_is_read_and_not_written
        on_a_disk_of("50m") do |path|
          build(gems: @gems)
          system("mount", "-o", "remount,ro", path, exception: true)
          refute_predicate caches, :writable?
          report = Builder::ApplicationBuild.new(location, caches: caches, events: events).call
          assert_equal ["#{caches.folder} cannot be written"], report.warnings
          assert_nil @warned
          assert_equal ["f1.rb hit"], load_files("#{@gems.first}/lib/g1/f1.rb")
          refute Boot::Background.start(location, [["/a", :miss]], caches: caches, env: {})
        end
      end

      private

      # A pipe from which the result of the block can be read. The block runs in a child process.
      def builder
        reading, writing = IO.pipe
        pid = fork do
          writing.write(yield)
          writing.close
          exit!(0)
        end
        writing.close
        Process.detach(pid)
        reading
      end

      def kill(pid)
        Process.kill(:KILL, -pid)
      rescue Errno::ESRCH
        Process.kill(:KILL, pid) # not yet a process group
      ensure
        Process.wait(pid)
      end

      # Asserts that every compile cache with a final name is complete.
      def assert_whole(at_least)
        paths = Dir.glob("#{caches.folder}/gems/*.compiled")
        assert_operator paths.size, :>=, at_least
        paths.each { |path| assert_empty cache(path).verify }
      end

      def on_a_disk_of(size)
        skip "only root can mount" unless Process.euid.zero?

        FileUtils.mkdir_p(path = "#{folder}/store")
        skip "no tmpfs here" unless system("mount", "-t", "tmpfs", "-o", "size=#{size},mode=755", "spate-test", path)
        yield path
      ensure
        system("umount", "-l", path) if path && File.read("/proc/mounts").include?(" #{path} ")
      end
    end
  end
end
