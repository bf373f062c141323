# frozen_string_literal: true

require_relative "../npm_ci_case"

module Spate
  # Lockfiles with a missing peer or one of the wrong version, compared with `npm ci`.
  class NpmPeersTest < NpmCiCase
    def setup
      super
      %w[1.0.0 1.1.0 2.0.0].each { |version| add("p", version) }
      add("asks", "1.0.0", peerDependencies: { "p" => "^1" })
      add("needs", "1.0.0", dependencies: { "asks" => "1" })
    end

    def test_one_that_the_project_itself_wants_otherwise
      lock({ "name" => "app", "dependencies" => { "asks" => "1", "p" => "2" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{p@\^1 \(node_modules/asks/package.json\): the lockfile has 2.0.0})
      assert_both_take("--legacy-peer-deps")
      assert_both_take("--force")
    end

    def test_one_between_packages_of_others
      lock({ "name" => "app", "dependencies" => { "needs" => "1", "p" => "2" } }, "--legacy-peer-deps")

      assert_both_take
      assert_both_refuse(/p@\^1/, "--strict-peer-deps")
      assert_both_take("--strict-peer-deps", "--force")
    end

    def test_one_that_could_be_another_is_left_to_npm
      add("else", "1.0.0", dependencies: { "p" => "*" })
      lock({ "name" => "app", "dependencies" => { "needs" => "1", "else" => "1" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{node_modules/asks requires p@\^1, but the lockfile has 2.0.0})
    end

    def test_a_missing_one
      lock({ "name" => "app", "dependencies" => { "needs" => "1" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{p@\^1 \(node_modules/asks/package.json\): the lockfile has none}, "--force")
      assert_both_take("--legacy-peer-deps")
    end

    def test_one_in_the_package_itself
      lock({ "name" => "app", "dependencies" => { "asks" => "1" } })
      data = JSON.parse(lockfile)
      data["packages"]["node_modules/asks/node_modules/p"] = data["packages"].delete("node_modules/p")
      write_json("package-lock.json", data)

      assert_both_refuse(%r{p@\^1 .*: the lockfile has 1.1.0 in node_modules/asks/node_modules/p})
    end
  end
end
