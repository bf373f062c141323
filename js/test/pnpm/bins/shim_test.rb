# frozen_string_literal: true

require_relative "../pnpm_case"
require "open3"

module Spate
  class PnpmBinsShimTest < PnpmCase
    TELL = "printf '%s|' \"$NODE_PATH\" \"$0\" \"$@\"\n"

    def test_runs_the_program_with_its_arguments_and_its_path
      shim("../a dir/it's.sh", "#!/bin/sh -e", ["../n", "../a dir/m"])

      assert_equal "#{@root}/n:#{@root}/a dir/m|#{@root}/a dir/it's.sh|x y|$z|", run_shim("x y", "$z")
      assert_equal "#{@root}/n:#{@root}/a dir/m:/before|#{@root}/a dir/it's.sh|",
                   run_shim(env: { "NODE_PATH" => "/before" }).gsub("/.bin/..", "")
    end

    def test_runs_through_symbolic_links_and_from_any_folder
      shim("../t.sh", "#!/bin/sh", [])
      File.symlink(".bin/run", "#{@root}/one")
      FileUtils.mkdir_p("#{@root}/else")
      File.symlink("../one", "#{@root}/else/two")

      assert_equal "|#{@root}/t.sh|a|", run_shim("a", path: "#{@root}/else/two")
      assert_equal "|#{@root}/t.sh|", run_shim(path: "./two", chdir: "#{@root}/else")
    end

    def test_needs_no_program_that_a_dependency_could_replace
      shim("../t.sh", "#!/bin/sh", [])
      %w[readlink dirname sed uname cat].each do |name|
        write(".bin/#{name}", "#!/bin/sh\necho caught\n")
        File.chmod(0o755, "#{@root}/.bin/#{name}")
      end
      File.symlink(".bin/run", "#{@root}/one")

      assert_equal "|#{@root}/t.sh|", run_shim(path: "#{@root}/one", env: { "PATH" => "#{@root}/.bin:/bin:/usr/bin" })
    end

    def test_a_cycle_of_links_ends
      shim("../t.sh", "#!/bin/sh", [])
      text = File.read("#{@root}/.bin/run")
      File.symlink("b", "#{@root}/a")
      File.symlink("a", "#{@root}/b")
      _, status = Open3.capture2e("sh", "-c", text, "#{@root}/a")

      refute_predicate status, :success?
    end

    def test_program_and_arguments_of_the_first_line
      assert_equal ["node"], programs("x.js", nil)
      assert_equal %w[node --harmony], programs("x", "#!/usr/bin/env -S node --harmony")
      assert_equal %w[node], programs("x", "#!/usr/bin/env node\r")
      assert_equal %w[/bin/bash -e], programs("x", "#! /bin/bash -e")
      assert_equal ["'$(touch'", "'x)'"], programs("x", "#!$(touch x)")
      assert_empty programs("x", nil)
    end

    def test_program_in_the_same_folder_takes_precedence
      shim("../t", "#!/usr/bin/env tool", [])
      write(".bin/tool", "#!/bin/sh\necho mine\n")
      File.chmod(0o755, "#{@root}/.bin/tool")

      assert_equal "mine\n", run_shim
    end

    def test_ends_with_the_line_that_pnpm_reads
      assert_equal "# cmd-shim-target=../a/b.js", JS::Pnpm::Bins::Shim.new("../a/b.js", nil, []).text.lines.last.chomp
    end

    private

    def shim(target, shebang, node_paths)
      write(".bin/run", JS::Pnpm::Bins::Shim.new(target, shebang, node_paths).text)
      File.chmod(0o755, "#{@root}/.bin/run")
      write(File.join(".bin", target), "#{shebang}\n#{TELL}")
    end

    def run_shim(*arguments, path: "#{@root}/.bin/run", chdir: @root, env: {})
      out, error, status = Open3.capture3(env, path, *arguments, chdir: chdir)
      flunk(error) unless status.success? && error.empty?
      out.gsub("/.bin/..", "")
    end

    # The program and its arguments in the last exec line.
    def programs(target, shebang)
      text = JS::Pnpm::Bins::Shim.new(target, shebang, []).text
      text[/^exec (.*?)"\$here"/, 1].split
    end
  end
end
