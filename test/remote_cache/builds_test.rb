# frozen_string_literal: true

require "remote_cache/builds/machines"
require "support/test_disk"

module Spate
  # RemoteCache::Builds: a build of one machine is sent, chosen and accepted on another if its inputs are equal there.
  class RemoteBuildsTest < MachinesCase
    ODD = <<~'RUBY'
      require "mkmf"
      Dir.chdir("../..") do
        File.unlink("data/old")
        Dir.mkdir("empty", 0o750)
        File.symlink("alpha.rb", "lib/link.rb")
        File.write("lib/run", "#!/bin/sh\n", perm: 0o755)
        File.chmod(0o640, "lib/run")
        deep = "lib/#{"d" * 90}/#{"e" * 90}"
        require "fileutils"
        FileUtils.mkdir_p(deep)
        File.write("#{deep}/far", "away")
        File.symlink("#{"e" * 90}/far", "lib/#{"d" * 90}/#{"l" * 60}")
      end
      create_makefile("alpha/alpha")
    RUBY

    def test_build_of_one_machine_is_linked_on_the_next
      archive = native_gem("alpha", { "data/old" => "old", "ext/alpha/extconf.rb" => ODD })
      origin, entry, blob = made(archive)
      expected = tree
      on(:second) do
        offer = chosen(archive, entry)
        builder = bundle(trust: trust)
        kept = cache(builder).accept(offer, blob)

        assert_equal origin.identity, kept.identity
        assert_equal Array.new(origin.manifest.count) { |index| comparable(origin.manifest.entry(index)) },
                     Array.new(kept.manifest.count) { |index| comparable(kept.manifest.entry(index)) }
        assert_equal origin.manifest.sha256, kept.manifest.sha256
        found = builder.reuse(kept.key[/\h+/])
        assert_equal kept.key, found.key
        put(found)
        assert_equal expected, tree
        assert_equal "1", run_ruby("-I#{layout.gems}/alpha-1.0/lib", "-e", "require 'alpha'; print ALPHA")
      end
      assert_equal [entry.blob_bytes, entry.blob], [File.size(blob), Native.sha256_file(blob)]
    end

    # A power failure may damage a blob.
    def test_damaged_blob_in_the_store_is_replaced
      archive = native_gem("alpha")
      _, entry, blob = made(archive)
      on(:second) do
        path = cache(bundle).accept(offer = chosen(archive, entry), blob).path
        File.unlink(path)
        File.write(path, "torn")
        assert_equal path, cache(bundle).accept(offer, blob)&.path
      end
    end

    def test_same_with_gzip
      archive = native_gem("alpha", { "data/old" => "old", "ext/alpha/extconf.rb" => ODD })
      origin, entry, blob = without_zstd { made(archive) }
      assert_equal RemoteCache::Pack::GZIP, File.binread(blob, 2)
      on(:second) do
        kept = cache(bundle).accept(chosen(archive, entry), blob)
        assert_equal origin.manifest.paths, kept.manifest.paths
      end
    end

    def test_the_same_build_is_the_same_blob
      archive = native_gem("alpha")
      origin, entry, blob = made(archive)
      again, other = cache(bundle("origin")).offer(origin, private_key)

      assert_equal [entry.blob, File.binread(blob)], [again.blob, File.binread(other)]
    end

    def test_entry_is_verified_before_it_is_chosen
      archive = native_gem("alpha")
      _, entry, = made(archive)
      on(:second) do
        assert_equal ["signed by #{private_key.id}, which is not trusted here"],
                     chosen(archive, entry, trust: trust(public_key(:other)))
        assert_equal [], chosen(archive)
        foreign = cache(builder = bundle).choose(document(entry), key(builder, archive), places("beta-1.0"))
        assert_equal ["for another gem: alpha-1.0"], foreign
        assert_equal ["for another key: #{entry.key}"],
                     cache(bundle).choose(document(entry), Store.sha256("other"), places)
        assert_raises(RemoteCache::Malformed) { cache(bundle).choose("<html>", entry.key, places) }
      end
    end

    def test_builds_from_a_cache_and_untraced_builds_are_not_sent
      archive = native_gem("alpha")
      origin, entry, blob = made(archive)
      on(:second) do
        kept = cache(bundle).accept(chosen(archive, entry), blob)
        assert_equal "it came from a cache", cache(bundle).offer(kept, private_key)
      end
      File.unlink(origin.inputs)
      assert_equal "its inputs are unknown", cache(bundle("origin")).offer(origin, private_key)
    end

    # Compilers and libraries are larger than the build's output. Files with times in whole seconds are always read
    # (about 45 MB here), so this input is larger.
    def test_inputs_are_not_read_again_to_send_a_build
      skip "needs /proc/self/io" unless File.exist?("/proc/self/io")
      large = write("large", "x" * (96 << 20))
      sleep 0.05 # until its mtime proves the content
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~RUBY })
        require "mkmf"
        File.binread(#{large.dump})
        create_makefile("alpha/alpha")
      RUBY
      origin = build(builder = bundle("origin"), archive).stored
      assert_includes Inputs.each(origin.inputs).map { |_, _, path| File.basename(path.to_s) }, "large"
      before = bytes_read
      assert_kind_of Array, cache(builder).offer(origin, private_key)
      assert_operator bytes_read - before, :<, 96 << 20
    end

    def test_damaged_record_is_not_sent
      origin, = made(native_gem("alpha"))
      File.write(origin.needs, "x")
      assert_match(/needs to run/, cache(bundle("origin")).offer(origin, private_key))
    end

    # An old document that was restored has valid signatures, too.
    def test_machine_without_a_compiler_refuses_builds_for_another_path
      archive = native_gem("alpha")
      _, entry, = made(archive)
      on(:second) do
        bare = { "PATH" => FileUtils.mkdir_p(File.join(folder, "nothing")).first }
        assert_match(/on the PATH is another program/, Array(chosen(archive, entry, env: bare)).first.to_s)
      end
    end

    def test_build_for_one_folder_is_not_sent
      archive = native_gem("alpha", { "ext/alpha/extconf.rb" => <<~'RUBY' })
        require "mkmf"
        File.write("../../lib/where.rb", "WHERE = #{File.expand_path("../..").dump}\n")
        create_makefile("alpha/alpha")
      RUBY
      builder = bundle("origin")
      kept = build(builder, archive).stored
      assert_equal "it contains the path of the folder that it was built in", cache(builder).offer(kept, private_key)
    end

    def test_build_is_stored_completely_or_not_at_all
      archive = native_gem("alpha")
      _, entry, blob = made(archive)
      on(:second) do
        offer = chosen(archive, entry)
        builder = bundle(trust: trust)
        in_the_way = write("second/spate/store/v1/variants", "")
        assert_raises(Store::Error) { cache(builder).accept(offer, blob) }
        File.unlink(in_the_way)
        assert_nil builder.reuse(entry.key)
        assert_empty Dir.children(store.path("tmp"))

        kept = Array.new(4) { Thread.new { cache(builder).accept(offer, blob) } }.map(&:value)
        assert_equal 1, kept.map(&:key).uniq.size
        assert_equal kept.first.key, builder.reuse(entry.key).key
        assert_equal 1, Dir.children(store.path("builds")).size
        assert_empty Store::Verify.new(store).call.damaged
      end
    end

    # If there is no space for the blob, no file is left. The build is sent when there is space.
    def test_full_disk_while_sending
      obstacle = TestDisk.obstacle(:ext4) and skip obstacle
      disk = TestDisk.new(:ext4, write("compile_cache", "")).tap { |one| one.mount("#{folder}/first/spate") }
      File.chmod(0o755, "#{folder}/first/spate")
      archive = native_gem("alpha")
      origin = build(builder = bundle("origin"), archive).stored
      filler = "#{folder}/first/spate/filler"
      assert_raises(Errno::ENOSPC) { IO.copy_stream("/dev/zero", filler, 1 << 30) }
      assert_raises(Store::Full) { cache(builder).offer(origin, private_key) }
      assert_empty Dir.children(store.path("tmp"))
      File.unlink(filler)
      assert_kind_of Array, cache(builder).offer(origin, private_key)
    ensure
      @stores&.clear
      disk&.unmount
    end

    private

    # The number of bytes that this process has read.
    def bytes_read = File.read("/proc/self/io")[/^rchar: (\d+)/, 1].to_i

    def comparable(entry) = entry.except(:mtime_ns)

    # Puts a stored build over a fresh copy of the gem, like an install.
    def put(build)
      Build::Cache::Removals.each(build.manifest, layout.root) { |path| Store::Sweep.remove(path) }
      store.native.link([[layout.root, [build.manifest], :copy]]).each { |linked| assert linked.ok?, linked.message }
    end

    def without_zstd
      Native::Zstd.singleton_class.alias_method :really_missing, :missing
      Native::Zstd.define_singleton_method(:missing) { "not here" }
      yield
    ensure
      Native::Zstd.singleton_class.alias_method :missing, :really_missing
    end
  end
end
