# frozen_string_literal: true

require_relative "boot_case"
require "objspace"

module Spate
  class CompileCacheTest < BootCase
    def test_round_trip_keeps_the_order
      paths = %w[c a b].map { |name| source("#{name}.rb") }
      made = cache(*paths.map { |path| file(path) }, data: { "load_path_cache" => "abc", "replay" => "" })

      assert_equal paths, made.paths
      assert_equal [3, %w[load_path_cache replay]], [made.count, made.data_names]
      assert_equal File.size(made.path), made.bytes
      assert_equal 0o644, File.stat(made.path).mode & 0o777
      assert_empty made.verify
    end

    def test_entry_has_the_recorded_state
      path = source("a.rb")
      recorded = state(path, flags: Native::CompileCache::WARNS)
      found = cache([path, recorded, "code"]).entry(path)

      assert_equal recorded, found.values_at(:size, :mtime_ns, :ctime_ns, :hash, :recorded_ns, :inode, :flags)
      assert_equal 4, found[:bytes]
      assert_nil cache.entry(path)
    end

    def test_inode_and_flags_may_be_left_out
      path = source("a.rb")
      found = cache([path, state(path).first(5), "code"]).entry(path)

      assert_equal [0, 0], found.values_at(:inode, :flags)
    end

    def test_blobs_are_copies_and_data_is_frozen
      path = source("a.rb")
      made = cache([path, state(path), "code\xFF".b], data: { "load_path_cache" => "\xFFdata".b })

      assert_equal "code\xFF".b, made.blob(path)
      refute_predicate made.blob(path), :frozen?
      assert_equal "\xFFdata".b, made.data("load_path_cache")
      assert_predicate made.data("load_path_cache"), :frozen?
      assert_equal Encoding::BINARY, made.data("load_path_cache").encoding
      assert_nil made.blob("#{path}x")
      assert_nil made.data("other")
    end

    def test_data_outlives_its_compile_cache
      data = cache(data: { "load_path_cache" => "x" * 10_000 }).data("load_path_cache")
      part = data[5000..]
      3.times { GC.start }

      assert_equal ["x" * 10_000, "x" * 5000], [data, part]
      assert_operator ObjectSpace.memsize_of(data), :<, 1000
    end

    def test_the_key_is_bytes_or_hex
      path = compile_cache_path("a")
      Native::CompileCache.write(path, key: KEY.unpack1("H*"))

      assert_equal 0, Native::CompileCache.open(path, key: KEY).count
      assert_equal :key, reason { Native::CompileCache.open(path, key: "x" * 16) }
      assert_raises(ArgumentError) { Native::CompileCache.open(path, key: "short") }
      assert_raises(ArgumentError) { Native::CompileCache.write(path, key: "X" * 32) }
    end

    def test_non_ascii_path
      path = source("täst-日本.rb")
      made = cache(file(path))

      assert_equal [path], made.paths
      refute_nil made.entry(path.b)
    end

    def test_wrong_arguments_are_refused_and_nothing_is_written
      path = source("a.rb")
      fine = state(path)
      wrong = [[path, fine], [path, fine, nil], [nil, fine, "x"], [path, nil, "x"], [path, fine.first(4), "x"],
               [path, [*fine.first(3), "zz", *fine.last(3)], "x"], [path, [2**64, *fine.drop(1)], "x"],
               [path, ["7", *fine.drop(1)], "x"], ["a\0b", fine, "x"], ["", fine, "x"], "text"]
      wrong.each do |entry|
        assert_raises(ArgumentError, TypeError, RangeError, entry.inspect) { cache(entry, name: "wrong") }
      end
      assert_raises(ArgumentError) { cache(file(path), file(path), name: "wrong") }
      assert_raises(ArgumentError) { Native::CompileCache.write(compile_cache_path("wrong"), files: []) }

      assert_empty Dir.children(File.join(root, "caches"))
    end

    def test_system_errors_are_ruby_s_own
      error = assert_raises(Errno::ENOENT) { Native::CompileCache.write(File.join(root, "none/cache"), key: KEY) }

      assert_includes error.message, "none/cache"
    end

    def test_each_reason_has_its_name
      path = compile_cache_path("a")
      Native::CompileCache.write(path, key: KEY)
      File.symlink(path, compile_cache_path("link"))
      bytes = File.binread(path)
      File.binwrite(compile_cache_path("short"), bytes[0, 60])
      File.binwrite(compile_cache_path("magic"), "x" * bytes.size)

      { "none" => :missing, "link" => :symlink, "short" => :short, "magic" => :magic }.each do |name, expected|
        assert_equal expected, reason { Native::CompileCache.open(compile_cache_path(name), key: KEY) }
      end
      File.chmod(0o666, path)
      assert_equal :writable, reason { Native::CompileCache.open(path, key: KEY) }
      assert_equal 0, Native::CompileCache.open(path, key: KEY, trust: true).count
    end

    def test_an_unusable_compile_cache_is_named
      error = assert_raises(Native::CompileCache::Unusable) { Native::CompileCache.open("#{root}/none", key: KEY) }

      assert_equal "compile cache #{root}/none cannot be used: missing", error.message
      assert_equal "#{root}/none", error.path
    end

    def test_full_disk_leaves_no_file
      disk = File.join(root, "disk")
      Dir.mkdir(disk, 0o700)
      unless system("mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "none", disk, err: File::NULL)
        skip "no file system can be mounted here"
      end
      path = File.join(disk, "compile_cache")
      Native::CompileCache.write(path, key: KEY, data: { "old" => "1" })

      assert_raises(Errno::ENOSPC) { Native::CompileCache.write(path, key: KEY, data: { "new" => "x" * 1_000_000 }) }
      assert_equal %w[compile_cache], Dir.children(disk)
      assert_equal "1", Native::CompileCache.open(path, key: KEY).data("old")
    ensure
      # A lazy unmount, because a mapping that was not garbage collected uses the file system.
      system("umount", "-l", disk, err: File::NULL) if disk
    end

    def test_killed_writer_leaves_complete_compile_caches
      path = compile_cache_path("a")
      script = "loop { CompileCache.write(#{path.dump}, key: KEY, data: { 'a' => 'x' * 3_000_000 }) }"
      10.times do |round|
        child = Process.spawn(RbConfig.ruby, "-I#{File.expand_path("../../../lib", __dir__)}", "-rspate/native/boot",
                              "-e", "KEY = '#{KEY}'; CompileCache = Spate::Native::CompileCache; #{script}")
        sleep 0.01 until File.exist?(path) || Process.wait(child, Process::WNOHANG)
        sleep 0.003 * round
        Process.kill(:KILL, child)
        Process.wait(child)

        assert_equal 3_000_000, Native::CompileCache.open(path, key: KEY).data("a").bytesize
        File.delete(path)
      end
      assert_empty(Dir.children(File.dirname(path)).grep_v(/\Aa\.\h{16}\.tmp\z/))
    end

    def test_content_hash
      path = source("a.rb", "abc")

      assert_equal "a3817f04ba25a8e66df67214c7550293", Native.content_hash(nil, "")
      assert_equal Native.content_hash(nil, "abc"), Native.content_hash(path)
      refute_equal Native.content_hash(nil, "abd"), Native.content_hash(path)
      assert_nil Native.content_hash("#{root}/none")
      assert_nil Native.content_hash(root)
    end

    def test_stat
      path = source("a.rb", "abc")
      found = File.stat(path)
      expected = [3, nanoseconds(found.mtime), nanoseconds(found.ctime), found.dev, found.ino]

      assert_equal expected, Native.stat(path)
      assert_equal File.stat(root).ino, Native.stat(root).last
      assert_nil Native.stat("#{root}/none")
    end

    private

    def nanoseconds(time) = (time.to_i * 1_000_000_000) + time.nsec

    def reason(&block) = assert_raises(Native::CompileCache::Unusable, &block).reason
  end
end
