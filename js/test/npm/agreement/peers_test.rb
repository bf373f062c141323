# frozen_string_literal: true

require_relative "../npm_ci_case"

module Spate
  # Lockfiles in which a peer is missing or has the wrong version are accepted, rejected or left to npm, as `npm ci`
  # decides.
  class NpmPeersTest < NpmCiCase
    def setup
      super
      %w[1.0.0 1.1.0 2.0.0].each { |version| add("p", version) }
      add("asks", "1.0.0", peerDependencies: { "p" => "^1" })
      add("needs", "1.0.0", dependencies: { "asks" => "1" })
    end

    def test_peer_that_the_project_requires_in_another_version
      lock({ "name" => "app", "dependencies" => { "asks" => "1", "p" => "2" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{p@\^1 \(node_modules/asks/package.json\): the lockfile has 2.0.0})
      assert_both_take("--legacy-peer-deps")
      assert_both_take("--force")
    end

    def test_peer_between_indirect_dependencies
      lock({ "name" => "app", "dependencies" => { "needs" => "1", "p" => "2" } }, "--legacy-peer-deps")

      assert_both_take
      assert_both_refuse(/p@\^1/, "--strict-peer-deps")
      assert_both_take("--strict-peer-deps", "--force")
    end

    def test_replaceable_peer_is_left_to_npm
      add("else", "1.0.0", dependencies: { "p" => "*" })
      lock({ "name" => "app", "dependencies" => { "needs" => "1", "else" => "1" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{node_modules/asks requires p@\^1, but the lockfile has 2.0.0})
    end

    def test_missing_peer
      lock({ "name" => "app", "dependencies" => { "needs" => "1" } }, "--legacy-peer-deps")

      assert_both_refuse(%r{p@\^1 \(node_modules/asks/package.json\): the lockfile has none}, "--force")
      assert_both_take("--legacy-peer-deps")
    end

    def test_peer_in_the_package_itself
      lock({ "name" => "app", "dependencies" => { "asks" => "1" } })
      data = JSON.parse(lockfile)
      data["packages"]["node_modules/asks/node_modules/p"] = data["packages"].delete("node_modules/p")
      write_json("package-lock.json", data)

      assert_both_refuse(%r{p@\^1 .*: the lockfile has 1.1.0 in node_modules/asks/node_modules/p})
    end
  end
end
