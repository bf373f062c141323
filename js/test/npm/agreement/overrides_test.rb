# frozen_string_literal: true

require_relative "../npm_ci_case"

module Spate
  # Lockfiles that satisfy the overrides in package.json are accepted, others rejected, as by `npm ci`.
  class NpmOverridesTest < NpmCiCase
    APP = { "name" => "app", "dependencies" => { "a" => "1" } }.freeze

    def setup
      super
      %w[1.0.0 1.1.0 2.0.0].each { |version| add("b", version) }
      add("a", "1.0.0", dependencies: { "b" => "^1" })
      add("c", "1.0.0", dependencies: { "a" => "1" })
    end

    def test_rules_of_each_kind
      [{ "a" => { "." => "1", "b" => "1.0.0" } }, { "a@1" => { "b@^1.0.0" => "1.0.0" } }].each do |rules|
        lock(APP.merge("overrides" => rules))
        assert_both_take
      end
    end

    def test_dependencies_of_the_root_itself
      app = APP.merge("dependencies" => { "a" => "1", "b" => "2" }, "overrides" => { "b" => "$b" })
      lock(app)

      assert_both_take
      write_json("package.json", app.merge("overrides" => { "b" => "1.0.0" }))
      assert_both_refuse(/b@1.0.0 \(overrides in package.json\): the lockfile has 2.0.0/)
      write_json("package.json", app.merge("overrides" => { "b" => "$none" }))
      assert_both_refuse(/b@\$none/)
    end

    def test_added_and_removed_rules
      lock(APP)
      [{ "a" => { "b" => "1.0.0" } }, { "b@1" => "1.0.0" }].each do |rules|
        write_json("package.json", APP.merge("overrides" => rules))
        assert_both_refuse(/b@\S+ \(overrides in package.json\): the lockfile has 1.1.0/)
      end
      lock(APP.merge("overrides" => { "a" => { "b" => "2" } }))
      write_json("package.json", APP)

      assert_both_refuse(%r{b@\^1 \(node_modules/a/package.json\): the lockfile has 2.0.0})
    end

    def test_rules_for_workspaces
      write_json("w/package.json", "name" => "w", "version" => "1.0.0", "dependencies" => { "c" => "1", "b" => "1" })
      lock({ "name" => "app", "workspaces" => ["w"], "overrides" => { "b" => "2" } })

      assert_both_take
      write_json("package.json", "name" => "app", "workspaces" => ["w"], "overrides" => { "w" => { "b" => "1.0.0" } })
      assert_both_refuse(/b@1.0.0 \(overrides in package.json\): the lockfile has 2/)
    end
  end
end
