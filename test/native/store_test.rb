# frozen_string_literal: true

require_relative "native_case"

module Spate
  class NativeStoreTest < NativeCase
    def test_manifest_round_trip
      archive = gem_of([%w[b bb], ["a", "a", { mode: 0o755 }], ["l", nil, { type: "2", link: "a" }],
                        ["d", nil, { type: "5", mode: 0o755 }]])
      path = fresh("manifest")
      unpacked = store.unpack(archive)
      unpacked.write_manifest(path, "näme: x\n")
      manifest = store.manifest(path)

      assert_equal [unpacked.sha256, "näme: x\n", 4, 3],
                   [manifest.sha256, manifest.facts, manifest.count, manifest.bytes]
      assert_equal %w[a b d l], manifest.paths
      assert_equal({ path: "a", type: :file, mode: 0o755, size: 1, sha256: Digest::SHA256.hexdigest("a"), target: nil },
                   manifest.entry(0).except(:mtime_ns))
      assert_equal [:symlink, "a", nil], manifest.entry(3).values_at(:type, :target, :sha256)
      assert_equal :directory, manifest.entry(2)[:type]
      assert_equal [true, false, 1, nil],
                   [manifest.include?("a"), manifest.include?("z"), manifest.index("b"), manifest.index("")]
      assert_predicate manifest, :this_boot?
      assert_raises(IndexError) { manifest.entry(4) }
      assert_nil store.manifest(fresh("none"))
    end

    def test_manifests_can_be_written_from_entries
      path = fresh("manifest")
      manifest = package(many(3))
      entries = Array.new(3) { |i| manifest.entry(i) }
      store.write_manifest(path, "ab" * 32, entries.reverse + [{ path: "l", type: :symlink, target: "x" }], "facts")
      written = store.manifest(path)

      assert_equal "ab" * 32, written.sha256
      assert_equal entries, Array.new(3) { |i| written.entry(written.index(entries[i][:path])) }
      assert_raises(ArgumentError) { store.write_manifest(path, "ab", [], "") }
      assert_raises(TypeError) { store.write_manifest(path, "ab" * 32, [1], "") }
      assert_raises(ArgumentError) { store.write_manifest(path, "ab" * 32, [{ path: "x", type: :fifo }], "") }
      assert_raises(TypeError) { store.write_manifest(path, "ab" * 32, [{ type: :file }], "") }
    end

    def test_many_manifests_at_once
      whole, damaged = Array.new(2) { fresh("manifest") }
      [whole, damaged].each { |path| store.unpack(gem_of(many(3))).write_manifest(path, path) }
      File.binwrite(damaged, "garbage")
      File.symlink(whole, link = fresh("link"))
      File.mkfifo(fifo = fresh("fifo"))
      found = store.manifests([whole, damaged, fresh("none"), link, fifo, folder, whole])

      assert_equal [whole, nil, nil, nil, nil, nil, whole], found.map { |manifest| manifest&.facts }
      assert_empty store.manifests([])
      [[1], ["a\0"], nil].each { |bad| assert_raises(TypeError, ArgumentError) { store.manifests(bad) } }
    end

    def test_a_damaged_manifest_is_stale
      path = fresh("manifest")
      store.unpack(gem_of(many(3))).write_manifest(path, "")
      bytes = File.binread(path)
      [bytes[0..-2], "", "garbage", bytes.sub("SPATEMF1", "SPATEMF2"), bytes.tr("f", "g")].each do |damaged|
        File.binwrite(path, damaged)
        error = assert_raises(Native::StaleManifest) { store.manifest(path) }
        assert_equal :stale, error.status
      end
    end

    def test_adopt_turns_a_built_file_into_an_object
      path = write("built.so", "ELF", mode: 0o755)
      entry = store.adopt(path)

      assert_equal [:file, 0o755, 3, Digest::SHA256.hexdigest("ELF")], entry.values_at(:type, :mode, :size, :sha256)
      refute_includes entry, :path
      assert_equal 1, File.stat(path).nlink
      assert_equal :good, store.examine(entry).first
      assert_raises(Native::Error) { store.adopt(fresh("none")) }
    end

    def test_examine
      manifest = package([%w[a content]])
      entry = manifest.entry(0)
      object = store.object_path(entry[:sha256], entry[:mode])
      assert_equal [:good, entry[:mtime_ns]], store.examine(entry)
      assert_equal [:good, entry[:mtime_ns]], store.examine(entry, hash: true)
      File.utime(0, 99, object)
      assert_equal [:changed, 99_000_000_000], store.examine(entry, hash: false)
      assert_equal [:good, 99_000_000_000], store.examine(entry, hash: true)
      File.write(object, "CONTENT")
      assert_equal :changed, store.examine(entry, hash: true).first
      File.unlink(object)
      assert_equal [:missing, nil], store.examine(entry, hash: true)
    end

    def test_digests
      path = write("file", "x" * 300_000)
      assert_equal Digest::SHA256.file(path).hexdigest, Native.sha256_file(path)
      ["", "abc", "y" * 200_000].each { |text| assert_equal Digest::SHA256.hexdigest(text), Native.sha256(text) }
      error = assert_raises(Native::Error) { Native.sha256_file(folder) }
      assert_equal Errno::EISDIR::Errno, error.errno
    end

    def test_objects_survive_gc_stress
      archive = gem_of(many(4))
      path = fresh("manifest")
      GC.stress = true
      unpacked = store.unpack(archive, tree: tree)
      unpacked.write_manifest(path, "facts")
      manifest = store.manifest(path)
      results = store.link([[fresh("linked"), [manifest], :hard]])
      found = Native.check_trees([[fresh("linked"), [manifest]]], 1)
      GC.stress = false
      assert_predicate results.first, :ok?
      assert_equal 4, found.size
      assert_equal manifest.paths, unpacked.paths
    ensure
      GC.stress = false
    end
  end
end
