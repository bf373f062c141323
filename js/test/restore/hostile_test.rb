# frozen_string_literal: true

require_relative "restore_case"

module Spate
  # Restores of malicious archives and plans write nothing outside of the package's folder. The CVE numbers refer to
  # vulnerabilities of other package managers.
  class JSRestoreHostileTest < RestoreCase
    Tar = HostileArchives::Tar

    def setup
      @victim = write("victim/file", "mine")
    end

    def archive(*members)
      gzip(Tar.archive(Tar.member("package/package.json", "{\"name\":\"a\"}"), *members))
    end

    # Restores an archive. Returns the error, or nil. In both cases, nothing may be written outside of node_modules/a.
    def attempt(body, path: "node_modules/a", **facts)
      restore(plan(tree(path, package("a", body: body)), **facts))
      nil
    rescue Spate::Error => e
      e
    ensure
      assert_equal "mine", File.read(@victim)
      assert_equal %w[app home victim].sort, Dir.children(folder).sort
      assert_equal %w[node_modules package.json].sort, (Dir.children(root) | ["node_modules"]).sort
    end

    def refused(body)
      error = attempt(body)
      assert_kind_of JS::Restore::ArchiveError, error
      assert_equal 8, error.exit_code
      refute_path_exists inside("node_modules/a")
      assert_empty Dir.children(store.path("packages"))
      error
    end

    # Restores an archive with links, which are skipped, as in npm.
    def without_links(*members)
      FileUtils.rm_rf(inside("node_modules"))
      error = attempt(archive(*members))
      assert(error.nil? || error.exit_code == 8)
      assert_empty(Dir.glob("**/*", base: inside("node_modules")).select do |path|
                     File.symlink?(inside("node_modules/#{path}"))
                   end)
    end

    def test_devices_are_refused
      %w[3 4 6].each do |type|
        assert_match(/a@1\.0\.0 \(.*x\)/, refused(archive(Tar.member("package/x", type: type))).message)
      end
    end

    # CVE-2026-23745, 2026-24056, 2026-26960: symbolic and hard links that lead out, and files written through them.
    # CVE-2021-37701: a folder that is replaced with a link.
    def test_links_are_left_out
      %w[1 2].each do |type|
        without_links(Tar.member("package/x", type: type, link: @victim))
        without_links(Tar.member("package/x", type: type, link: "../../../victim"),
                      Tar.member("package/x/file", "theirs"))
        without_links(Tar.member("package/d/", type: "5"),
                      Tar.member("package/d", type: type, link: "../../../victim"),
                      Tar.member("package/d/file", "theirs"))
      end
      without_links(Tar.pax({ "linkpath" => @victim }), Tar.member("package/x", type: "2", link: "y"))
    end

    def test_paths_cannot_leave_the_package
      ["package/../../../../victim/file", "package/..\\..\\..\\..\\victim\\file", "/#{@victim}", "package//#{@victim}",
       "../victim/file", "package/a/../../../../victim/file", "package/\0../x"].each do |path|
        error = attempt(archive(Tar.member(path, "theirs")))
        assert(error.nil? || error.exit_code == 8, path)
        FileUtils.rm_rf(inside("node_modules"))
      end
    end

    def test_pax_headers_are_checked_too
      attempt(archive(Tar.pax({ "path" => "package/../../../../victim/file" }), Tar.member("package/x", "theirs")))
      attempt(archive(Tar.pax({ "size" => "-1" }), Tar.member("package/x", "theirs")))
    end

    def test_huge_declared_sizes_are_refused
      refused(gzip(Tar.member("package/zeros", "", size: (2 << 30))))
      refused(archive(Tar.pax({ "size" => (1 << 40).to_s }), Tar.member("package/x", "small")))
      refused(gzip("no tar at all" * 100))
      refused("not even gzip")
    end

    # CVE-2023-37478: of two files with the same name the last one is used, as in npm.
    def test_last_duplicate_file_wins
      first = Tar.member("package/x", "first", mode: 0o755)
      assert_nil attempt(archive(first, Tar.member("other/x", "second"), Tar.member("package//./x", "last")))
      assert_equal "last", read("node_modules/a/x")
      assert_equal 0o644, File.stat(inside("node_modules/a/x")).mode & 0o777
    end

    def test_only_the_executable_bit_is_kept
      modes = { 0o644 => 0o644, 0o600 => 0o644, 0o010 => 0o755, 0o7777 => 0o755, 0o4644 => 0o644, 0o000 => 0o644 }
      members = modes.keys.map { |mode| Tar.member("package/f#{mode.to_s(8)}", "x", mode: mode) }
      assert_nil attempt(archive(*members))
      modes.each do |mode, placed|
        assert_equal placed.to_s(8), (File.stat(inside("node_modules/a/f#{mode.to_s(8)}")).mode & 0o7777).to_s(8)
      end
    end

    # On a case-sensitive file system, all of these files are restored.
    def test_names_of_files_that_differ_in_case
      members = %w[x X lib/Y Lib/y].map { |name| Tar.member("package/#{name}", name) }
      assert_nil attempt(archive(*members))
      %w[x X lib/Y Lib/y].each { |name| assert_equal name, read("node_modules/a/#{name}") }
    end

    # CVE-2023-37478, 2026-23890: names of commands with ".." or invalid characters.
    def test_commands_stay_in_their_folder
      package = { "name" => "a", "bin" => { "../../../victim/file" => "x", "y" => "../../../victim/file", ".." => "x",
                                            "/abs" => "/etc/passwd", "z\\..\\..\\w" => "x" } }
      body = tarball({ "package.json" => JSON.generate(package), "x" => "#!/bin/sh\n" })
      assert_nil attempt(body)
      links = Dir.children(inside("node_modules/.bin")).sort
      assert_equal %w[abs file w], links
      links.each { |name| assert File.readlink(inside("node_modules/.bin/#{name}")).start_with?("../a/") }
    end

    def test_package_cannot_choose_the_folder_of_executables
      body = tarball({ "package.json" => "{\"name\":\"a\"}", "node_modules/.bin/x" => "#!/bin/sh\n" })
      assert_nil attempt(body)
      assert_equal "#!/bin/sh\n", read("node_modules/a/node_modules/.bin/x")
      refute_path_exists inside("node_modules/.bin")
    end

    def test_bundled_packages_stay_in_their_package
      body = archive(Tar.member("package/node_modules/../../../../victim/file", "theirs"))
      error = attempt(body)
      assert(error.nil? || error.exit_code == 8)
      assert_nil attempt(archive(Tar.member("package/node_modules/b/x", "b")))
      assert_equal "b", read("node_modules/a/node_modules/b/x")
    end

    # CVE-2025-69263, 2026-23889, 2026-55699: plans with paths that lead out.
    def test_paths_of_a_stored_plan_are_checked_again
      ["../victim/node_modules/a", "/node_modules/a", "node_modules/../../victim/node_modules/a", "victim/file",
       "node_modules/./a", "node_modules//a", "lib/a"].each do |path|
        error = attempt(tarball({ "package.json" => "{}" }), path: path)
        assert_kind_of Spate::Error, error, path
      end
      { "../victim/node_modules/x" => "y", "lib" => "y" }.each do |path, target|
        assert_kind_of Spate::Error, attempt(tarball({ "package.json" => "{}" }), links: { path => target })
      end
    end

    # The path is longer than a system call accepts.
    def test_a_path_that_is_too_long
      deep = Array.new(30) { |at| "node_modules/#{at}#{"a" * 200}" }
      made = package("a")
      error = assert_raises(JS::Restore::FolderError) { restore(plan(tree(deep.join("/"), made))) }
      assert_match(/File name too long/, error.message)
      restore(plan(tree(deep.first(15).join("/"), made)))
      assert_path_exists inside("#{deep.first(15).join("/")}/package.json")
    end

    def test_no_link_of_a_project_is_followed
      FileUtils.mkdir_p(inside("node_modules"))
      outside = File.dirname(@victim)
      File.symlink(outside, inside("node_modules/a"))
      File.symlink(outside, inside("node_modules/@s"))
      made = package("a", body: tarball({ "package.json" => "{}", "file" => "theirs" }))
      restore(plan(tree("node_modules/a", made), tree("node_modules/@s/file", made)))
      assert_equal "mine", File.read(@victim)
      assert_equal "theirs", read("node_modules/a/file")
      assert_equal "theirs", read("node_modules/@s/file/file")
      assert_equal %w[file], Dir.children(outside)
    end

    def test_a_node_modules_that_is_a_link_is_refused
      File.symlink(File.dirname(@victim), inside("node_modules"))
      error = assert_raises(JS::Restore::FolderError) { restore(plan(tree("node_modules/a", package("a")))) }
      assert_match(/node_modules is a symbolic link/, error.message)
      assert_equal %w[file], Dir.children(File.dirname(@victim))
    end

    def test_workspace_folder_linked_outside_is_refused
      FileUtils.mkdir_p(inside("packages"))
      File.symlink(File.dirname(@victim), inside("packages/w"))
      made = plan(tree("packages/w/node_modules/a", package("a")), projects: [".", "packages/w"])
      assert_raises(JS::Restore::FolderError) { restore(made) }
      assert_equal %w[file], Dir.children(File.dirname(@victim))
    end
  end
end
