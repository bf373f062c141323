# frozen_string_literal: true

require_relative "native_case"
require "spate"

module Spate
  class NativeUnpackTest < NativeCase
    def test_gem_is_unpacked_as_by_rubygems
      archive = build_gem
      unpacked = store.unpack(archive, tree: (ours = tree), sha256: Digest::SHA256.file(archive).hexdigest,
                                       mode_mask: Store::PackageKey.mask(Gem::VERSION, File.umask))

      assert_equal listing(rubygems_tree(archive)), listing(ours)
      assert_equal Digest::SHA256.file(archive).hexdigest, unpacked.sha256
      assert_equal "demo", Gem::Specification.from_yaml(unpacked.metadata).name
      assert_equal Encoding::UTF_8, unpacked.metadata.encoding
      assert_equal listing(ours).reject { |_, (type)| type == "directory" }.keys, unpacked.paths
    end

    def test_serial_parallel_and_streamed_agree
      archive = gem_of([["lib", nil, { type: "5", mode: 0o775 }], *many(80), *many(70), ["big", "x" * 70_000],
                        ["link", nil, { type: "2", link: "lib/dir1" }]])
      results = [[false, nil], [1, nil], [1, 4096], [false, 4096]].map do |parallel_from, memory|
        other = Native::Store.new(fresh("store"), unpack_threads: 4, link_threads: 1)
        unpacked = other.unpack(archive, tree: File.join(other.root, "tree"), parallel_from: parallel_from,
                                         memory: memory)
        assert_equal parallel_from == 1, unpacked.parallel?
        assert_equal !memory.nil?, unpacked.streamed?
        [entries(unpacked), listing(File.join(other.root, "tree")), objects(other)]
      end
      assert_equal [results.first], results.uniq
      assert_equal 83, results.first[0].size
    end

    def test_the_last_duplicate_wins_in_the_parallel_branch
      rounds = 3.times.flat_map { |round| Array.new(50) { |i| ["lib/file#{i}", "round #{round} of #{i}"] } }
      unpacked = store.unpack(gem_of(rounds), tree: (made = tree))

      assert_predicate unpacked, :parallel?
      assert_equal 50, unpacked.count
      50.times { |i| assert_equal "round 2 of #{i}", File.read("#{made}/lib/file#{i}") }
    end

    def test_small_archives_stay_serial
      refute_predicate store.unpack(gem_of(many(31))), :parallel?
      assert_predicate store.unpack(gem_of(many(32))), :parallel?
    end

    def test_a_tree_is_made_of_the_objects
      unpacked = store.unpack(gem_of([%w[a same], %w[b same], ["c", "same", { mode: 0o755 }]]),
                              tree: (made = tree))
      a, b, c = %w[a b c].map { |name| File.stat("#{made}/#{name}") }

      assert_equal a.ino, b.ino
      refute_equal a.ino, c.ino
      entry = unpacked.entry(0)
      assert_equal File.stat(store.object_path(entry[:sha256], entry[:mode])).ino, a.ino
      assert_equal a.mtime.to_r * 1_000_000_000, entry[:mtime_ns]
    end

    def test_poisoned_object_is_replaced_and_the_edited_tree_stays
      archive = gem_of([%w[a right]])
      store.unpack(archive, tree: (first = tree))
      File.write("#{first}/a", "wrong") # writes through the link into the store
      store.unpack(archive, tree: (second = tree))

      assert_equal "right", File.read("#{second}/a")
      assert_equal "wrong", File.read("#{first}/a")
    end

    def test_mode_mask
      store.unpack(gem_of([["a", "x", { mode: 0o775 }]]), tree: (made = tree), mode_mask: 0o755)

      assert_equal 0o100755, File.stat("#{made}/a").mode
    end

    def test_errors_carry_status_member_and_errno
      error = refused(gem_of([%w[ok x], ["../evil\e[31m", "x"]]))
      assert_equal :refused, error.status
      assert_includes error.member, "../evil"
      refute_includes error.member, "\e"

      error = assert_raises(Native::Error) { store.unpack("#{folder}/none.gem") }
      assert_equal [:system, Errno::ENOENT::Errno], [error.status, error.errno]

      wrong = "0" * 64
      error = assert_raises(Native::Error) { store.unpack(gem_of(many(3)), sha256: wrong) }
      assert_equal :checksum, error.status
      assert_includes error.message, wrong
    end

    def test_refused_archive_leaves_no_files
      [["hard", nil, { type: "1", link: "/etc/passwd" }], ["dev", nil, { type: "3" }], ["/abs", "x"],
       ["a/../../b", "x"],
       ["link", nil, { type: "2", link: "../.." }], %W[new\nline x]].each do |member|
        made = tree
        error = assert_raises(Native::Error, member.inspect) { store.unpack(gem_of([*many(40), member]), tree: made) }
        assert_equal :refused, error.status, member.inspect
        refute_path_exists made
      end
      refute_path_exists "#{folder}/b"
      assert_empty Dir.children("#{store.root}/objects")
    end

    def test_a_link_and_a_file_beneath_it_write_nothing_outside
      outside = fresh("outside")
      Dir.mkdir(outside)
      [[["l", nil, { type: "2", link: outside }], ["l/x", "evil"]],
       [["d/l", nil, { type: "2", link: "." }], ["d/l/x", "evil"]]]
        .each do |members|
        assert_equal :refused, refused(gem_of(members)).status
      end
      assert_empty Dir.children(outside)
    end

    def test_full_disk_is_reported_and_existing_files_stay
      disk = mounted("size=256k")
      small = Native::Store.new("#{disk}/store", unpack_threads: 2, link_threads: 1)
      kept = small.unpack(gem_of(many(3)), tree: "#{disk}/kept")
      [[["large", "x" * 400_000]], Array.new(60) { |i| ["file#{i}", Random.new(i).bytes(9000)] }].each do |members|
        error = assert_raises(Native::Error) { small.unpack(gem_of(members), tree: "#{disk}/tree") }
        assert_equal [:system, Errno::ENOSPC::Errno], [error.status, error.errno]
        refute_path_exists "#{disk}/tree"
        FileUtils.rm_rf(Dir["#{disk}/store/objects/*"] - kept_objects(small, kept))
      end
      assert_equal 3, small.unpack(gem_of(many(3)), tree: "#{disk}/again").count
    ensure
      system("umount", disk) if disk
    end

    def test_store_that_cannot_be_created
      write("file", "")
      error = assert_raises(Native::Error) { Native::Store.new("#{folder}/file/store") }
      assert_equal Errno::ENOTDIR::Errno, error.errno
    end

    def test_a_page_of_a_proxy_is_named
      page = write("page.gem", "<html><title>Log in</title></html>")
      error = assert_raises(Native::Error) { store.unpack(page) }
      assert_equal :corrupt, error.status
      assert_match(/HTML.*proxy/, error.message)
    end

    def test_closed_stream_raises
      unpacked = store.unpack(gem_of(many(2)))
      unpacked.close
      unpacked.close
      assert_raises(IOError) { unpacked.count }
      assert_raises(IOError) { unpacked.write_manifest(fresh("manifest"), "") }
    end

    def test_wrong_arguments_raise
      archive = gem_of(many(2))
      assert_raises(ArgumentError) { store.unpack(archive, sha256: "abc") }
      assert_raises(ArgumentError) { store.unpack(archive, kind: :zip) }
      assert_raises(ArgumentError) { store.unpack(archive, unknown: 1) }
      assert_raises(ArgumentError) { store.unpack("nul\0") }
      assert_raises(TypeError) { store.unpack(nil) }
      assert_raises(ArgumentError) { Native::Store.new(folder, unpack_threads: 0) }
      assert_raises(TypeError) { store.link([["x", [Object.new], :hard]]) }
      assert_raises(TypeError) { store.link([["x"]]) }
      assert_raises(ArgumentError) { store.link([["x", [], :soft]]) }
      assert_raises(RuntimeError) { Native::Store.allocate.root }
    end

    private

    def refused(archive)
      made = tree
      error = assert_raises(Native::Error) { store.unpack(archive, tree: made) }
      refute_path_exists made
      error
    end

    # Mounts a tmpfs and returns its path.
    def mounted(options)
      place = fresh("disk")
      Dir.mkdir(place)
      return place if system("mount", "-t", "tmpfs", "-o", options, "tmpfs", place, %i[out err] => File::NULL)

      skip "needs the right to mount a tmpfs"
    end

    def kept_objects(store, unpacked)
      Array.new(unpacked.count) { |i| File.dirname(store.object_path(*unpacked.entry(i).values_at(:sha256, :mode))) }
    end

    def entries(unpacked) = Array.new(unpacked.count) { |i| unpacked.entry(i).except(:mtime_ns) }
    def objects(other) = Dir.glob("#{other.root}/objects/*/*").map { |path| File.basename(path) }.sort

    def build_gem
      write("demo/lib/demo.rb", "module Demo; end\n", mode: 0o664)
      write("demo/lib/demo/deep/er.rb", "", mode: 0o600)
      write("demo/exe/demo", "#!/usr/bin/env ruby\n", mode: 0o775)
      File.symlink("demo.rb", "#{folder}/demo/lib/alias.rb")
      write("demo/demo.gemspec", <<~RUBY)
        Gem::Specification.new do |spec|
          spec.name = "demo"
          spec.version = "1.0"
          spec.summary = "demonstration"
          spec.authors = ["nobody"]
          spec.files = Dir["lib/**/*.rb"] + ["exe/demo"]
        end
      RUBY
      assert system("gem", "build", "--silent", "demo.gemspec", chdir: "#{folder}/demo", %i[out err] => File::NULL)
      "#{folder}/demo/demo-1.0.gem"
    end

    def rubygems_tree(archive)
      target = fresh("rubygems")
      Gem::Package.new(archive).extract_files(target)
      target
    end
  end
end
