# frozen_string_literal: true

require_relative "boot_case"

module Spate
  # After any change to a recorded file, its current content must run.
  class EditsTest < BootCase
    CHANGED = "$from = :DISK\n" # same size as DISK

    def test_another_size
      path = cached("a.rb")
      File.write(path, "#{CHANGED}# longer")

      assert_equal %i[DISK stale], loaded(path)
    end

    def test_the_same_size
      path = cached("a.rb")
      File.write(path, CHANGED)

      assert_equal %i[DISK stale], loaded(path)
    end

    def test_the_same_size_with_the_mtime_put_back
      path = cached("a.rb")
      mtime = File.stat(path).mtime
      File.write(path, CHANGED)
      File.utime(mtime, mtime, path)

      assert_equal %i[DISK stale], loaded(path)
    end

    # Both changes are in one tick of the clock, so the times are equal and the contents are compared.
    def test_a_change_in_the_tick_of_the_recording
      path = source("a.rb", CHANGED)
      recorded = state(path, later: 1_000_000, hash: Native.content_hash(nil, DISK))
      Loader.add(cache([path, recorded, blob(path)]))

      assert_equal %i[DISK stale], loaded(path)
    end

    def test_a_file_recorded_right_after_its_change_is_hashed_and_used
      path = source("a.rb")
      Loader.add(cache(file(path, later: 1_000_000)))

      assert_equal %i[compile_cache revalidated], loaded(path)
    end

    def test_adding_and_removing_hard_links_is_no_change
      path = cached("a.rb")
      File.link(path, "#{path}.link")

      assert_equal %i[compile_cache revalidated], loaded(path)
      File.delete("#{path}.link")
      assert_equal %i[compile_cache revalidated], loaded(path)
    end

    def test_lost_times
      path = cached("a.rb")
      File.utime(0, 0, path)

      assert_equal %i[compile_cache revalidated], loaded(path)
    end

    def test_the_file_copied_over_itself
      path = cached("a.rb")
      File.write("#{path}.new", DISK)
      File.rename("#{path}.new", path)

      assert_equal %i[compile_cache revalidated], loaded(path)
    end

    # The folder was replaced with a different one, whose files may have the same size and times.
    def test_another_inode_with_the_same_times
      path = source("a.rb", CHANGED)
      recorded = state(path, hash: Native.content_hash(nil, DISK), inode: 1)
      Loader.add(cache([path, recorded, blob(path)]))

      assert_equal %i[DISK stale], loaded(path)
    end

    def test_link_changed_to_another_release
      releases = %w[one two].map { |name| File.dirname(source("#{name}/a.rb")) }
      File.link("#{releases[0]}/a.rb", "#{releases[1]}/b.rb") # the same inode in both
      File.rename("#{releases[1]}/b.rb", "#{releases[1]}/a.rb")
      current = File.join(root, "current")
      File.symlink(releases[0], current)
      Loader.add(cache(file("#{current}/a.rb")))

      assert_equal %i[compile_cache hit], loaded("#{current}/a.rb")
      switch(current, releases[1])
      assert_equal %i[disk stale], loaded("#{current}/a.rb")
      switch(current, releases[0])
      assert_equal %i[compile_cache hit], loaded("#{current}/a.rb")
    end

    def test_a_folder_that_becomes_a_link
      path = cached("lib/a.rb")
      File.rename(File.dirname(path), "#{root}/moved")
      File.symlink("moved", File.dirname(path))

      assert_equal %i[disk stale], loaded(path)
    end

    def test_a_file_that_becomes_a_link
      path = cached("a.rb")
      File.rename(path, "#{root}/b.rb")
      File.symlink("b.rb", path)

      assert_equal %i[disk stale], loaded(path)
    end

    def test_file_that_is_always_a_link
      path = source("b.rb")
      File.symlink("b.rb", "#{root}/a.rb")
      Loader.add(cache(file("#{root}/a.rb", real: path)))

      assert_equal %i[compile_cache hit], loaded("#{root}/a.rb")
    end

    def test_missing_unreadable_or_folder
      path = cached("a.rb")
      File.delete(path)
      assert_raises(LoadError) { load(path) }
      Dir.mkdir(path)
      assert_raises(LoadError, Errno::EISDIR) { load(path) }
      Dir.rmdir(path)
      File.symlink("nowhere", path)
      assert_raises(LoadError) { load(path) }
      assert_empty(Loader.recorded.map(&:last) - %i[stale])
    end

    # After any edit, the same code must run as in a Ruby without compile caches.
    def test_random_edits
      random = Random.new(Integer(ENV.fetch("SPATE_SEED", "4")))
      path = source("a.rb", "$from = 0\n")
      outcomes = []
      300.times do |round|
        edit(path, random)
        if random.rand(3).zero?
          sleep 0.025 if random.rand(4).zero? # into the next clock tick
          Loader.reset
          number = File.read(path)[/\d+/].to_i
          Loader.add(cache(file(path, "$from = #{number}", later: nil), name: "r#{round}"))
        end

        assert_equal File.read(path)[/\d+/].to_i, loaded(path).first, "round #{round}"
        outcomes << Loader.recorded.last.last
      end
      assert_empty %i[hit revalidated stale] - outcomes
    end

    private

    def switch(link, target)
      File.delete(link)
      File.symlink(target, link)
      # A process caches folders, so this simulates a new process.
      caches = [cache(file("#{link}/a.rb", real: "#{root}/one/a.rb"))]
      Loader.reset
      caches.each { |made| Loader.add(made) }
    end

    def edit(path, random)
      time = File.stat(path).mtime
      case random.rand(6)
      when 0 then File.write(path, "$from = #{random.rand(10)}\n")
      when 1 then File.write(path, "$from = #{random.rand(10)}\n") && File.utime(time, time, path)
      when 2 then File.write("#{path}.new", "$from = #{random.rand(100)}\n") && File.rename("#{path}.new", path)
      when 3 then File.utime(0, random.rand(2), path)
      when 4 then File.chmod([0o644, 0o600].sample(random: random), path)
      end
    end
  end
end
