# frozen_string_literal: true

require_relative "../restore_case"

module Spate
  # Memory::Reach decides in which folders a stored plan may be used: only here, in folders beside the project, or
  # anywhere.
  class JSRestoreReachTest < RestoreCase
    LINKS = "/store/links"

    def reach(plan = made, env: {}, variables: [], **contents)
      reading = JS::Reading.new
      reading.variables.concat(variables)
      contents.each { |path, text| reading.note(File.expand_path(path.to_s, root), text) }
      found = JS::Restore::Memory::Reach.new(plan, reading, env, LINKS).to_s
      { root => :here, File.dirname(root) => :beside, "" => :any }.fetch(found)
    end

    def made(links: {}, path: "node_modules/a", **more)
      plan(JS::Tree.new(path: path, key: "a", package: nil), links: links, bins: [], **more)
    end

    def linked(path, target) = reach(made(links: { path => target }))

    def test_plan_within_the_project_is_valid_in_any_folder
      assert_equal :any, reach("package.json": "{}", ".npmrc": "omit=dev\nx=1...2 a..b")
      assert_equal :any, linked("node_modules/a", "../packages/a")
      assert_equal :any, linked("node_modules/@s/a", "../..")
      assert_equal :any, reach("package-lock.json": '"../x"', "packages/a/package.json": '"link:../b"')
    end

    def test_code_of_npm_does_not_limit_a_plan
      assert_equal :any, reach("/usr/lib/npm/definitions.js": "require('../x')")
      assert_equal :here, reach("config.js": "require('../x')")
    end

    def test_links_out_of_the_project
      assert_equal :here, linked("node_modules/a", "../../a")
      assert_equal :here, linked("node_modules/a", "../..")
      assert_equal :here, linked("node_modules/@s/a", "../../../a")
      assert_equal :here, linked("node_modules/a", "../a/../../../b")
      assert_equal :here, linked("node_modules/a", "/a")
      assert_equal :here, linked("../b/node_modules/a", "b")
      assert_equal :here, reach(made(projects: [".", "../b"]))
      assert_equal :here, reach(made(path: "/elsewhere/a"))
    end

    def test_shared_trees_are_valid_for_a_sibling_folder
      out = "../" * (root.count("/") + 1)
      to = { "node_modules/a" => "#{out}#{LINKS}/v/@/a/1/0/node_modules/a".squeeze("/"),
             "#{LINKS}/v/@/a/1/0/node_modules/b" => "../../../../b/1/0/node_modules/b" }
      path = "#{LINKS}/v/@/a/1/0/node_modules/a"
      assert_equal :beside, reach(made(path: path, links: to))
      astray = { "#{LINKS}/v/@/a/1/0/node_modules/b" => "../../../../../../../../b" }
      assert_equal :here, reach(made(path: path, links: to.merge(astray)))
    end

    def test_settings_that_name_a_parent_folder
      ["store-dir=../x", "..", "'\\x2e./x'", "\"\\u002e./x\"", "\\/x", "dir=#{root}/x", root].each do |text|
        %w[.npmrc package.json pnpm-workspace.yaml /etc/npmrc].each do |path|
          assert_equal :here, reach("#{path}": text), "#{path}: #{text}"
        end
        assert_equal :here, reach(env: { "npm_config_x" => text }), text
        assert_equal :here, reach(env: { "X" => text }, variables: ["X"]), text
        assert_equal :any, reach(env: { "X" => text }), text
      end
    end

    def test_settings_that_name_the_project
      assert_equal :here, reach("package-lock.json": root)
      assert_equal :here, reach("packages/a/package.json": "link:#{root}/b")
    end
  end
end
