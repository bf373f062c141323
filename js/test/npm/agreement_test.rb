# frozen_string_literal: true

require_relative "case"

module Spate
  class NpmAgreementTest < NpmCase
    def test_satisfied_range
      write({ "dependencies" => { "a" => "^1.0.0" } }, { "node_modules/a" => entry("1.2.0") })
      write_json("package.json", "dependencies" => { "a" => "^1.1.0" })

      assert_equal ["node_modules/a"], paths
    end

    def test_reports_each_unmet_dependency
      write({ "dependencies" => { "a" => "1" } }, { "node_modules/a" => entry("1.2.0") })
      write_json("package.json", "dependencies" => { "a" => "^2.0.0" }, "devDependencies" => { "b" => "*" },
                                 "optionalDependencies" => { "c" => "*" }, "peerDependencies" => { "d" => "3" },
                                 "peerDependenciesMeta" => { "e" => { "optional" => true } })
      error = assert_raises(JS::DisagreementError) { plan }

      told = [error.message, *error.details].join("\n")
      assert_includes told, "a@^2.0.0 (package.json): the lockfile has 1.2.0"
      assert_includes told, "b@* (package.json): the lockfile has none"
      assert_includes told, "d@3 (package.json): the lockfile has none"
      assert_includes told, "c@* (package.json): the lockfile has none"
      assert_match(/npm install/, error.hint)
      assert_equal 4, error.exit_code
    end

    def test_optional_peers_are_not_required
      write({ "peerDependencies" => { "a" => "1" }, "dependencies" => { "b" => "1" } },
            { "node_modules/a" => entry("1.2.0"), "node_modules/b" => entry(dependencies: { "a" => "1" }) })
      write_json("package.json", "peerDependencies" => { "a" => "2" }, "dependencies" => { "b" => "1" },
                                 "peerDependenciesMeta" => { "a" => { "optional" => true } })

      assert_equal %w[node_modules/a node_modules/b], paths
    end

    def test_dependencies_of_packages_in_the_lockfile
      entries = { "node_modules/a" => entry(dependencies: { "b" => "1" }), "node_modules/b" => entry }
      write({ "dependencies" => { "a" => "1" } }, entries)

      assert_equal %w[node_modules/a node_modules/b], paths
      %w[2 none].each do |wish|
        write({ "dependencies" => { "a" => "1" } }, entries.merge("node_modules/b" => entry("3.0.0")))
        write_json("package-lock.json", JSON.parse(File.read("#{@root}/package-lock.json"))
                                            .tap { |data| data["packages"].delete("node_modules/b") if wish == "none" })
        error = assert_raises(JS::DisagreementError) { plan }

        assert_match(%r{b@1 \(node_modules/a/package.json\): the lockfile has (?:3.0.0|none)}, error.message)
      end
    end

    def test_bundled_packages_are_not_checked
      write({ "dependencies" => { "a" => "1" } },
            { "node_modules/a" => entry(dependencies: { "b" => "1" }, bundleDependencies: ["b"]) })

      assert_equal ["node_modules/a"], paths
    end

    def test_peers_are_not_required_with_legacy_peer_deps
      write
      write_json("package.json", "peerDependencies" => { "d" => "3" })
      @settings["legacy-peer-deps"] = true

      assert_empty paths
    end

    def test_workspaces
      write({ "workspaces" => ["w/*"] },
            { "node_modules/one" => { "resolved" => "w/one", "link" => true }, "w/one" => { "version" => "1.0.0" } })
      write_json("w/one/package.json", "name" => "one", "dependencies" => { "a" => "1" })
      write_json("w/two/package.json", "name" => "two")
      error = assert_raises(JS::DisagreementError) { plan }

      told = [error.message, *error.details].join("\n")
      assert_includes told, "a@1 (w/one/package.json): the lockfile has none"
      assert_includes told, "workspace two in w/two: the lockfile has none"
    end

    def test_addresses_links_and_folders
      entries = { "node_modules/a" => entry("1.2.0", resolved: "http://localhost/a.tgz"),
                  "node_modules/b" => { "resolved" => "b", "link" => true }, "b" => { "version" => "1.0.0" } }
      good = { "a" => ["npm:x@1", "npm:@s/x@^1.2", "npm:x", "latest", "http://localhost/a.tgz", "", " 1 ", "x || 1"],
               "b" => ["file:b", "./b", "link:b"] }
      bad = { "a" => ["npm:x@2", "http://localhost/b.tgz", "file:a", "file:../a.tgz", "workspace:*"], "b" => ["file:c", "../b"] }
      { good => true, bad => false }.each do |specs, met|
        specs.each { |name, all| all.each { |spec| assert_equal met, meets?(name, spec, entries), "#{name}@#{spec}" } }
      end
    end

    private

    def meets?(name, spec, entries)
      write({ "dependencies" => { "a" => "1", "b" => "file:b" } }, entries)
      write_json("package.json", "dependencies" => { name => spec })
      plan
      true
    rescue JS::DisagreementError
      false
    end
  end
end
