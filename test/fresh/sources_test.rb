# frozen_string_literal: true

require "test_helper"
require_relative "options"
require_relative "sources"

module Spate
  class FreshSourcesTest < Minitest::Test
    def setup
      super
      write("project/.gitignore", "built\n")
      write("project/one", "committed")
      git("init", "-q")
      git("add", ".")
      git("-c", "user.name=a", "-c", "user.email=a", "commit", "-qm", "first")
      write("project/one", "changed")
      write("project/two", "new")
      write("project/built", "of this machine")
    end

    def git(*words) = assert(system("git", "-C", "#{folder}/project", *words))

    def copy(**options)
      Fresh::Sources.new("#{folder}/project").copy("#{folder}/copy", **options)
      Dir.children("#{folder}/copy").sort.grep_v(".git").to_h { |name| [name, File.read("#{folder}/copy/#{name}")] }
    end

    def test_head
      assert_equal({ ".gitignore" => "built\n", "one" => "committed" }, copy)
    end

    def test_the_working_tree_without_what_git_ignores
      status = `git -C #{folder}/project status --short`

      assert_equal({ ".gitignore" => "built\n", "one" => "changed", "two" => "new" }, copy(tree: true))
      assert_equal status, `git -C #{folder}/project status --short`
    end

    def test_again_into_the_same_folder
      copy(tree: true)
      write("copy/built", "there")
      write("copy/stray", "")
      FileUtils.chown_R(65_534, nil, "#{folder}/copy") if Process.euid.zero?

      assert_equal({ ".gitignore" => "built\n", "built" => "there", "one" => "committed" }, copy)
    end

    def test_a_shallow_checkout
      system("git", "clone", "-q", "--depth", "1", "file://#{folder}/project", "#{folder}/shallow")
      Fresh::Sources.new("#{folder}/shallow").copy("#{folder}/copy")

      assert_equal "committed", File.read("#{folder}/copy/one")
    end
  end
end
