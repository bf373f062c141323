# frozen_string_literal: true

require_relative "native_case"

module Spate
  class NativeLinkTest < NativeCase
    def test_many_packages_are_linked_in_one_call
      manifests = Array.new(12) { |i| package(many(40) + [["own", "of package #{i}"]]) }
      jobs = manifests.each_with_index.map { |manifest, i| ["#{folder}/gems/gem#{i}", [manifest], :hard] }
      results = store.link(jobs)

      assert(results.all?(&:ok?))
      assert_equal [41] * 12, results.map(&:linked)
      assert_equal [0] * 12, results.map(&:copied)
      12.times { |i| assert_equal "of package #{i}", File.read("#{folder}/gems/gem#{i}/own") }
      assert_empty Native.check_trees(jobs, 3)
    end

    def test_methods
      manifest = package([*many(5), ["run", "#!", { mode: 0o755 }], ["link", nil, { type: "2", link: "run" }]])
      linked, cloned, copied = %i[hard clone copy].map do |method|
        destination = fresh(method)
        result = store.link([[destination, [manifest], method]]).first
        assert_predicate result, :ok?
        [listing(destination), File.stat("#{destination}/run"), result]
      end
      assert_equal linked[0], cloned[0]
      assert_equal linked[0], copied[0]
      assert_equal linked[1].mtime, copied[1].mtime
      refute_equal linked[1].ino, copied[1].ino
      refute_equal linked[1].ino, cloned[1].ino
      assert_equal 6, copied[2].copied
    end

    def test_a_damaged_object_is_named_and_not_linked
      good, bad = %w[good bad].map { |name| package([["lib/#{name}", name], ["other-#{name}", name * 2]]) }
      entry = bad.entry(bad.index("lib/bad"))
      File.write(store.object_path(entry[:sha256], entry[:mode]), "evil")
      destinations = %w[a b].map { |name| fresh(name) }
      first, second = store.link([[destinations[0], [bad], :hard], [destinations[1], [good], :hard]])

      refute_predicate first, :ok?
      assert_equal [:stale, [0, bad.index("lib/bad")], "lib/bad"], [first.status, first.damaged, first.member]
      refute_path_exists "#{destinations[0]}/lib/bad"
      assert_predicate second, :ok?
      assert_nil second.damaged
      assert_equal [bad.index("lib/bad")], store.verify_manifest(bad)
      assert_empty store.verify_manifest(good)
    end

    def test_a_destination_that_cannot_be_made_fails_alone
      manifest = package(many(3))
      write("file", "")
      first, second = store.link([["#{folder}/file/below", [manifest], :hard], [fresh("fine"), [manifest], :hard]])

      assert_equal [:system, Errno::ENOTDIR::Errno], [first.status, first.errno]
      assert_predicate second, :ok?
    end

    def test_trees_in_one_another_and_links_below_a_root
      outer, inner = %w[outer inner].map { |name| package([["package.json", name], ["lib/#{name}.js", name]]) }
      jobs = [["node_modules/a/node_modules/b", [inner], :hard], ["node_modules/a", [outer], :hard],
              ["node_modules/@scope/c", [inner], :hard]]
      links = { "node_modules/.bin/a" => "../a/lib/outer.js", "node_modules/a/node_modules/c" => "../../@scope/c",
                "node_modules/d/node_modules/a" => "../../a" }
      2.times do
        results = store.link(jobs, root: "#{folder}/project", links: links)

        assert(results.all?(&:ok?), results.inspect)
        assert_equal [2, 2, 2, 3], results.map(&:linked)
        links.each { |path, target| assert_equal target, File.readlink("#{folder}/project/#{path}") }
        assert_equal "inner", File.read("#{folder}/project/node_modules/a/node_modules/b/package.json")
        assert_equal "outer", File.read("#{folder}/project/node_modules/.bin/a")
      end
    end

    def test_no_symlink_below_a_root_is_followed
      manifest = package([["lib/x", "x"]])
      root = fresh("project")
      outside = fresh("outside")
      FileUtils.mkdir_p([outside, "#{root}/node_modules"])
      File.symlink(outside, "#{root}/node_modules/@scope")
      jobs = %w[node_modules/@scope/a node_modules/b].map { |path| [path, [manifest], :hard] }
      first, second, links = store.link(jobs, root: root, links: { "node_modules/@scope/link" => "x" })

      assert_equal [Errno::ENOTDIR::Errno, "#{root}/node_modules/@scope/a"], [first.errno, first.member]
      assert_equal [Errno::ENOTDIR::Errno, "#{root}/node_modules/@scope/link"], [links.errno, links.member]
      assert_predicate second, :ok?
      assert_empty Dir.children(outside)
    end

    def test_paths_out_of_a_root_are_refused
      manifest = package([%w[x x]])
      root = fresh("project")
      paths = ["../out", "/out", "a/../../out", "a//b", "."]
      results = store.link(paths.map { |path| [path, [manifest], :hard] }, root: root, links: {})

      assert_equal([Errno::EINVAL::Errno] * 5, results.first(5).map(&:errno))
      (paths + [".."]).each do |path|
        assert_equal Errno::EINVAL::Errno, store.link([], root: root, links: { path => "x" }).last.errno, path
      end
      refute_path_exists "#{folder}/out"
      assert_raises(ArgumentError) { store.link([], links: { "a" => "b" }) }
      assert_raises(TypeError) { store.link([], root: root, links: { "a" => 1 }) }
    end

    def test_links_replace_files_and_links_but_no_folders
      root = fresh("project")
      FileUtils.mkdir_p("#{root}/folder")
      File.write("#{root}/file", "")
      File.symlink("old", "#{root}/link")

      assert_equal 2, store.link([], root: root, links: { "file" => "new", "link" => "new" }).last.linked
      assert_equal(%w[new new], %w[file link].map { |name| File.readlink("#{root}/#{name}") })
      result = store.link([], root: root, links: { "folder" => "new" }).last
      assert_equal [Errno::EISDIR::Errno, "#{root}/folder"], [result.errno, result.member]
      assert_equal %w[file folder link], Dir.children(root).sort
    end

    def test_small_files_beside_links
      root = fresh("project")
      FileUtils.mkdir_p(["#{root}/bin/folder", outside = fresh("outside")])
      File.write("#{outside}/file", "theirs")
      File.symlink("#{outside}/file", "#{root}/bin/link")
      File.link("#{outside}/file", "#{root}/bin/name")
      files = { "bin/link" => ["a", 0o755], "bin/name" => ["b\0c", 0o600], "new/d" => ["", 0o777] }

      2.times do
        assert_equal 4, store.link([], root: root, links: { "x" => "bin", **files }).last.linked
        files.each do |path, (text, mode)|
          assert_equal [text, mode, 1], [File.binread("#{root}/#{path}"), File.lstat("#{root}/#{path}").mode & 0o7777,
                                         File.lstat("#{root}/#{path}").nlink]
        end
      end
      assert_equal "theirs", File.read("#{outside}/file")
      result = store.link([], root: root, links: { "bin/folder" => ["x", 0o644] }).last
      assert_equal [Errno::EISDIR::Errno, "#{root}/bin/folder"], [result.errno, result.member]
      assert_equal %w[folder link name], Dir.children("#{root}/bin").sort
      [[1, 2], %w[a b], []].each do |bad|
        assert_raises(TypeError) do
          store.link([], root: root, links: { "a" => bad })
        end
      end
    end

    def test_folders_deeper_than_the_limit_of_open_ones
      deep = (["d"] * 45).join("/")
      files = { "#{deep}/a" => "a", "#{deep}/b/c" => "c", "d/d/z" => "z", "zz" => "zz" }
      place = fresh("tree")

      assert_predicate store.link([[place, [package(files.to_a)], :hard]]).first, :ok?
      files.each { |path, text| assert_equal text, File.read("#{place}/#{path}") }
    end

    def test_check_finds_changes
      manifest = package(many(6))
      destination = fresh("tree")
      store.link([[destination, [manifest], :copy]])
      File.write("#{destination}/lib/dir1/file1.rb", "edited")
      File.unlink("#{destination}/lib/dir2/file2.rb")
      FileUtils.rm("#{destination}/lib/dir3/file3.rb")
      Dir.mkdir("#{destination}/lib/dir3/file3.rb")
      File.chmod(0o600, "#{destination}/lib/dir4/file4.rb")

      found = Native.check_trees([["#{folder}/nowhere", []], [destination, [manifest]]], 2)
      expected = { "lib/dir1/file1.rb" => :changed, "lib/dir2/file2.rb" => :missing, "lib/dir3/file3.rb" => :type,
                   "lib/dir4/file4.rb" => :changed }
      assert_equal expected.map { |path, kind| [1, 0, manifest.index(path), kind] }, found
    end

    # Links a package in a slot, below a folder of names and a scope. Calls the block with the slot's path, and returns
    # the result of check_trees.
    def guarded
      manifest = package(many(3))
      slot = fresh("slot")
      job = ["#{slot}/names/@scope/tree", [manifest], :hard, slot.bytesize]
      store.link([job])
      still = Time.at(0, Native::STILL_NS, :nsec)
      File.utime(still, still, "#{slot}/names", "#{slot}/names/@scope")
      yield slot
      Native.check_trees([job], 1, Process.uid).map { |found| [found.first, found.last] }
    end

    def test_folders_that_are_guarded
      assert_empty guarded { nil }
      { "a name that came" => ->(slot) { File.write("#{slot}/names/x", "") },
        "a name that came beside it" => ->(slot) { Dir.mkdir("#{slot}/names/@scope/other") },
        "all may write" => ->(slot) { File.chmod(0o757, slot) },
        "a group may write" => ->(slot) { File.chmod(0o775, "#{slot}/names/@scope") },
        "a link" => ->(slot) { File.rename(slot, "#{slot}-2") && File.symlink("#{slot}-2", slot) },
        "gone" => ->(slot) { FileUtils.rm_r(slot) } }.each do |what, edit|
        assert_equal [[0, :folder]], guarded(&edit), what
      end
      # Files in the slot's folder itself are not checked.
      assert_empty(guarded { |slot| File.write("#{slot}/x", "") })
    end

    def test_links_and_small_files_are_compared
      long = "x" * 10_000
      links = { "a/one" => "../target", "a/two" => ["#!/bin/sh", 0o755], "long" => [long, 0o644],
                "none" => ["", 0o600] }
      store.link([], root: root = fresh("root"), links: links)
      assert_empty Native.check_links(root, links, 2)
      { "a/one" => "another", "a/two" => ["#!/bin/ch", 0o755],
        "long" => ["#{long.chop}y", 0o644] }.each do |path, other|
        assert_equal [path], Native.check_links(root, links.merge(path => other), 1)
      end
      assert_equal %w[a/two], Native.check_links(root, links.merge("a/two" => ["#!/bin/sh", 0o700]), 1)
      File.write("#{root}/a/one", "../target") if File.unlink("#{root}/a/one")
      File.symlink("long", "#{root}/none") if File.unlink("#{root}/none")
      assert_equal %w[a/one none gone/x], Native.check_links(root, links.merge("gone/x" => "y"), 1)
      assert_raises(Native::Error) { Native.check_links("#{root}/nowhere", links, 1) }
    end

    def test_many_links_are_compared
      links = (0...300).to_h { |number| ["n#{number % 7}/l#{number}", "t#{number}"] }
      store.link([], root: root = fresh("root"), links: links)
      assert_empty Native.check_links(root, links, 3)
      assert_equal links.keys, Native.check_links(root, links.transform_values { |target| "#{target}x" }, 3)
    end

    def test_files_of_a_missing_folder_are_missing
      manifest = package(many(3))
      File.write(fresh("file"), "")
      ["#{folder}/nowhere", "#{folder}/file"].each do |place|
        assert_equal [:missing] * 3, Native.check_trees([[place, [manifest]]], 1).map(&:last)
      end
    end

    # If there are no file descriptors left, no file may be reported as missing.
    def test_checking_without_descriptors
      path = fresh("manifest")
      store.unpack(gem_of(many(3))).write_manifest(path, "")
      store.link([[destination = fresh("tree"), [store.manifest(path)], :hard]])
      program = <<~'RUBY'
        require "spate"
        store = Spate::Native::Store.new(ARGV[0], unpack_threads: 1, link_threads: 1)
        jobs = [[ARGV[2], [store.manifest(ARGV[1])]]]
        Spate::Native.check_trees(jobs, 1)
        Process.setrlimit(:NOFILE, File.open(File::NULL).fileno)
        begin
          Spate::Native.check_trees(jobs, 1)
        rescue Spate::Native::Error => e
          puts e.errno == Errno::EMFILE::Errno
        end
      RUBY
      lib = File.expand_path("../../lib", __dir__)
      said = IO.popen([RbConfig.ruby, "-I#{lib}", "-e", program, store.root, path, destination], &:read)
      assert_equal "true\n", said
    end

    def test_another_boot_hashes_once_then_trusts
      path = fresh("manifest")
      store.unpack(gem_of(many(40))).write_manifest(path, "facts")
      age(path)
      manifest = store.manifest(path)
      refute_predicate manifest, :this_boot?
      assert_raises(Native::StaleManifest) { manifest.renew(path) }

      entry = manifest.entry(0)
      File.utime(0, 1234, store.object_path(entry[:sha256], entry[:mode]))
      assert_predicate store.link([[fresh("tree"), [manifest], :hard]]).first, :ok?
      manifest.renew(path)
      assert_predicate manifest, :this_boot?
      renewed = store.manifest(path)
      assert_predicate renewed, :this_boot?
      assert_equal 1_234_000_000_000, renewed.entry(0)[:mtime_ns]
      assert_equal "facts", renewed.facts
    end

    def test_another_file_system_gets_copies
      other = Dir.mktmpdir("spate-", "/dev/shm") if File.directory?("/dev/shm")
      skip "no second file system at /dev/shm" unless other && File.stat(other).dev != File.stat(folder).dev
      manifest = package(many(3))
      result = store.link([["#{other}/tree", [manifest], :hard]]).first

      assert_equal [true, 3, 3], [result.ok?, result.linked, result.copied]
      assert_empty Native.check_trees([["#{other}/tree", [manifest]]], 1)
    ensure
      FileUtils.rm_rf(other) if other
    end
  end
end
