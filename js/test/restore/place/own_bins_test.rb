# frozen_string_literal: true

require_relative "../../npm/npm_ci_case"

module Spate
  # A restore changes modes and first lines of executables in the project's own folders as `npm ci` does.
  class OwnBinsTest < NpmCiCase
    LINES = "#!/usr/bin/env node\r\nfirst\r\n"

    def test_executables_of_workspaces_and_folders
      member("w", "x.js" => [LINES, 0o644], "y.js" => ["none\r\n", 0o600], "z.js" => [LINES, 0o755])
      member("f", "f.js" => ["#!/bin/sh\n", 0o400])
      File.symlink("x.js", "#{@root}/w/link.js")
      lock({ "name" => "app", "workspaces" => ["w"], "dependencies" => { "f" => "file:f" } })
      theirs, ours = restored

      assert_equal theirs, ours
      assert_equal ["#!/usr/bin/env node\nfirst\r\n", "755"], ours["w/x.js"]
    end

    def test_files_are_unchanged_with_bin_links_disabled
      member("w", "x.js" => [LINES, 0o644])
      File.write("#{@root}/.npmrc", "bin-links=false\n")
      lock({ "name" => "app", "workspaces" => ["w"] })
      theirs, ours = restored

      assert_equal theirs, ours
      assert_equal [LINES, "644"], ours["w/x.js"]
    end

    def test_files_outside_the_project_are_not_changed
      File.write("#{@home}/outside", LINES, perm: 0o644)
      member("w", "x.js" => [LINES, 0o644])
      File.symlink("#{@home}/outside", "#{@root}/w/out.js")
      lock({ "name" => "app", "workspaces" => ["w"] })
      write_json("w/package.json", "name" => "w", "version" => "1.0.0", "bin" => { "out" => "out.js" })
      restore(@root, [], [])

      assert_equal [LINES, 0o100644], [File.binread("#{@home}/outside"), File.stat("#{@home}/outside").mode]
    end

    # A link in a workspace leads to a file of a package. Other projects share that file, so it is copied before it is
    # changed.
    def test_linked_file_of_a_package_is_copied_before_the_change
      add("lib", files: { "tool.js" => LINES })
      member("w", {})
      File.symlink("../node_modules/lib/tool.js", "#{@root}/w/link.js")
      lock({ "name" => "app", "workspaces" => ["w"], "dependencies" => { "lib" => "1.0.0" } })
      FileUtils.cp_r(@root, beside = "#{@root}-beside", preserve: true)
      File.unlink("#{beside}/w/link.js")
      [beside, @root].each { |root| restore(root, [], []) }
      of = ->(root) { File.open("#{root}/node_modules/lib/tool.js") { |file| [file.read, file.stat.mode & 0o111] } }

      assert_equal [[LINES, 0], [LINES.sub("\r", ""), 0o111]], [beside, @root].map(&of)
    ensure
      FileUtils.rm_rf(beside)
    end

    private

    def member(folder, files)
      bins = [*files.keys, *("link.js" if folder == "w")].to_h { |file| [File.basename(file, ".js"), file] }
      write_json("#{folder}/package.json", "name" => folder, "version" => "1.0.0", "bin" => bins)
      files.each { |name, (text, mode)| File.write("#{@root}/#{folder}/#{name}", text, perm: mode) }
    end

    # [npm's result, Spate's result]: { file => [content, mode] }
    def restored
      beside = "#{@root}-beside"
      FileUtils.cp_r(@root, beside, preserve: true)
      npm("ci", "--ignore-scripts")
      restore(beside, [], [])
      [@root, beside].map { |root| files(root) }
    ensure
      FileUtils.rm_rf(beside)
    end

    def files(root)
      Dir.glob("{w,f}/*.js", base: root).sort.to_h do |path|
        [path, [File.binread("#{root}/#{path}"), (File.stat("#{root}/#{path}").mode & 0o7777).to_s(8)]]
      end
    end
  end
end
