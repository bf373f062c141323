# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # Archives are verified with the digests of the lockfile, and stored under the digest that they have. Archives without
  # a digest are fetched each time, with a warning.
  class JSRestoreSupplyTest < RestoreCase
    def digest(algorithm, body) = "#{algorithm}-#{[OpenSSL::Digest.new(algorithm).digest(body)].pack("m0")}"

    def body(text = "x") = tarball({ "package.json" => JSON.generate({ name: "a" }), "x.js" => text })

    def restored(integrity, body = self.body)
      restore(plan(tree("node_modules/a", package("a", body: body, integrity: integrity))))
    end

    def test_every_digest_is_verified
      %w[sha512 sha384 sha256 sha1].each do |algorithm|
        text = "x #{algorithm}"
        restored(digest(algorithm, body(text)), body(text))
        assert_equal text, read("node_modules/a/x.js")
        error = assert_raises(JS::Restore::ChecksumError) { restored(digest(algorithm, "other"), body("bad")) }
        assert_equal 7, error.exit_code
        assert_match(/\Aa@1\.0\.0: expected (sha\d+)-\S+=*, found \1-\S+; from the registry\z/, error.message)
      end
    end

    # Unpacked at the same time, large archives would exceed the memory limit of a restore.
    def test_large_archives_take_turns
      large = Array.new(3) do |number|
        package("a#{number}", files: { "x" => number.to_s * JS::Restore::Context::LARGE })
      end
      spans = unpackings { restore(plan(*large.map { |each| tree("node_modules/#{each.name}", each) })) }
      assert_equal 3, spans.size
      assert(spans.sort.each_cons(2).all? { |(_, ended), (begun, _)| ended <= begun })
    end

    # Returns the times at which each unpacking in the block began and ended.
    def unpackings(&block)
      spans = Thread::Queue.new
      unpack = store.native.method(:unpack)
      timed = lambda do |*given, **options|
        begun = Process.clock_gettime(Process::CLOCK_MONOTONIC)
        unpack.call(*given, **options).tap { spans << [begun, Process.clock_gettime(Process::CLOCK_MONOTONIC)] }
      end
      store.native.stub(:unpack, timed, &block)
      Array.new(spans.size) { spans.pop }
    end

    def test_one_matching_digest_of_several_is_sufficient
      restored("#{digest("sha512", "other")} #{digest("sha512", body)}")
      assert_equal "x", read("node_modules/a/x.js")
      assert_raises(JS::Restore::ChecksumError) { restored("#{digest("sha512", "1")} #{digest("sha512", "2")}") }
    end

    # The package's name has the digest of the archive. Otherwise one project's lockfile could replace the package of
    # another digest for all projects.
    def test_package_is_named_by_the_digest_of_its_archive
      good, evil = %w[good evil].map { |text| [digest("sha512", body(text)), body(text)] }
      restored("#{good.first} #{evil.first}", evil.last)
      assert_equal "evil", read("node_modules/a/x.js")
      assert_equal [JS::Package::Integrity.parse(evil.first).key], Dir.children(store.path("packages"))
      restored(*good)
      assert_equal "good", read("node_modules/a/x.js")
    end

    def test_a_package_is_found_under_each_of_several_digests
      restored(digest("sha512", body), body)
      FileUtils.rm_rf(inside("node_modules"))
      assert_equal 0, restored("#{digest("sha512", "other")} #{digest("sha512", body)}").fetched
      assert_equal "x", read("node_modules/a/x.js")
    end

    def test_patched_package_is_named_by_the_digest_of_its_archive
      write("app/a.patch", "diff --git a/y.js b/y.js\n--- a/y.js\n+++ b/y.js\n@@ -1 +1 @@\n-y\n+z\n")
      good, evil = %w[good evil].map { |text| tarball({ "package.json" => "{}", "x.js" => text, "y.js" => "y\n" }) }
      [["#{digest("sha512", good)} #{digest("sha512", evil)}", evil, "evil"],
       [digest("sha512", good), good, "good"]].each do |integrity, body, text|
        restore(plan(tree("node_modules/a", package("a", body: body, integrity: integrity), patch: "a.patch")))
        assert_equal [text, "z\n"], [read("node_modules/a/x.js"), read("node_modules/a/y.js")]
      end
    end

    def test_the_name_of_several_digests_is_independent_of_their_order
      texts = %w[1 2].map { |text| digest("sha512", text) }
      keys = [texts, texts.reverse, texts.first(1)].map { |all| JS::Package::Integrity.parse(all.join(" ")).key }
      assert_equal keys[0], keys[1]
      refute_equal keys[0], keys[2]
    end

    def test_a_strong_digest_is_not_replaced_by_a_weak_one
      assert_raises(JS::Restore::ChecksumError) { restored("#{digest("sha1", body)} #{digest("sha512", "other")}") }
    end

    def test_warns_of_packages_with_only_a_sha1
      report = restored(digest("sha1", body))
      assert_equal ["verified by SHA-1 only: a@1.0.0"], report.warnings
    end

    def test_a_package_without_an_integrity_causes_a_warning_and_is_fetched_again
      a = package("a", body: body, integrity: nil)
      report = restore(plan(tree("node_modules/a", a)))
      assert_equal ["not verified, because the lockfile has no integrity: a@1.0.0"], report.warnings
      client.archives["a@1.0.0"] = body("changed")
      FileUtils.rm_rf(inside("node_modules"))
      restore(plan(tree("node_modules/a", a)))
      assert_equal "changed", read("node_modules/a/x.js")
    end

    def test_mismatch_is_an_error_for_an_optional_package
      a = package("a", body: body, integrity: digest("sha512", "other"))
      assert_raises(JS::Restore::ChecksumError) { restore(plan(tree("node_modules/a", a, optional: true))) }
    end

    def test_an_optional_package_that_is_not_available_is_omitted
      a = package("a")
      b = package("b")
      client.archives["b@1.0.0"] = Spate::HTTP::Error.new("404")
      report = restore(plan(tree("node_modules/a", a), tree("node_modules/b", b, optional: true),
                            links: { "node_modules/to-b" => "b", "node_modules/to-a" => "a" }))
      assert_equal({ "node_modules/b" => "404" }, report.skipped)
      assert_equal %w[.state a a/package.json to-a], all.sort
    end

    def test_an_error_of_a_package_ends_the_restore_and_leaves_no_record
      client.archives["a@1.0.0"] = nil
      a = package("a")
      client.archives["a@1.0.0"] = Spate::HTTP::Error.new("500")
      assert_raises(Spate::HTTP::Error) do
        restore(plan(tree("node_modules/a", a), tree("node_modules/b", package("b"))))
      end
      assert_nil JS::Restore::Memory::Record.load(store, root)
      refute_path_exists inside("node_modules/.state")
      assert_empty Dir.children(store.path("tmp"))
    end

    def test_without_network_missing_packages_are_named_and_nothing_is_changed
      write("app/node_modules/a/index.js", "before")
      error = assert_raises(JS::Restore::NotLocalError) do
        restore(plan(tree("node_modules/a", package("a")), tree("node_modules/b", package("b"))),
                options: JS::Options.new(local: true))
      end
      assert_equal "the store does not have a@1.0.0, b@1.0.0", error.message
      assert_equal "before", read("node_modules/a/index.js")
    end

    def test_a_binary_first_line_and_a_package_json_with_non_ascii_text
      json = JSON.generate({ name: "a", bin: { "a" => "x.js" }, scripts: { install: "echo ü" } })
      archive = tarball({ "package.json" => json, "x.js" => "#!/bin/\xFF\r\nx".b })
      a = package("a", body: archive)
      restore(plan(tree("node_modules/a", a), rewrites: [:hashbang]), options: JS::Options.new(ignore_scripts: true))
      assert_equal "#!/bin/\xFF\nx".b, File.binread(inside("node_modules/a/x.js"))
      assert_equal "../a/x.js", File.readlink(inside("node_modules/.bin/a"))
    end

    def test_a_package_without_a_package_json_has_no_bins
      restored(true, tarball({ "x.js" => "x" }))
      assert_equal %w[x.js], all("node_modules/a")
    end

    def test_packages_with_a_damaged_object_are_fetched_again
      made = plan(tree("node_modules/a", package("a", files: { "x.js" => "right" })))
      restore(made)
      FileUtils.rm_rf(inside("node_modules"))
      Dir.glob("objects/*/*", base: store.root).each do |inside|
        path = store.path(inside)
        File.chmod(0o644, path)
        File.write(path, "wrong") if File.read(path) == "right"
      end
      report = restore(made)
      assert_equal "right", read("node_modules/a/x.js")
      assert_equal [1, 0], [report.fetched, report.from_store]
    end
  end
end
