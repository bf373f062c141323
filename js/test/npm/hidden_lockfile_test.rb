# frozen_string_literal: true

require_relative "case"
require "open3"
require "support/npm_tools"

module Spate
  class NpmHiddenLockfileTest < NpmCase
    def test_implied_install_scripts_are_recorded
      write({ "dependencies" => { "a" => "1", "b" => "1" } }, { "node_modules/a" => entry, "node_modules/b" => entry })
      facts = { "node_modules/a" => JS::Package::Facts.new(scripts: { "install" => "node-gyp rebuild" }),
                "node_modules/b" => JS::Package::Facts.new(scripts: { "install" => "make" }) }
      noted = packages(facts: facts)

      assert noted["node_modules/a"]["hasInstallScript"]
      refute noted["node_modules/b"].key?("hasInstallScript")
    end

    def test_failed_optional_packages_are_removed_with_their_own_dependencies
      write({ "optionalDependencies" => { "a" => "1", "c" => "1" } },
            { "node_modules/a" => entry(optional: true, dependencies: { "b" => "*", "c" => "*" }),
              "node_modules/a/node_modules/d" => entry(optional: true), "node_modules/b" => entry(optional: true),
              "node_modules/c" => entry(optional: true) })

      assert_equal ["node_modules/c"], packages(skipped: ["node_modules/a"]).keys
      assert_equal %w[node_modules/a node_modules/b], plan.state.goes_with(["node_modules/a"])
    end

    def test_writes_nothing_without_packages
      write

      assert_empty state
    end

    def test_json_as_node_writes_it
      skip "no node" unless NpmTools.runs?("node")

      value = { "b" => [1, 1.5, 1e21, 1.0, -0.5, 1e-7, true, nil, "\u0001\n\"\\/\u2028é\u007f", [], {}],
                "a" => { "10" => 1, "9" => 2, "x" => 3, "01" => 4 }, "c" => {}, "d" => "text" }
      script = "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0, 'utf8')), null, 2))"
      ordered = { "b" => value["b"], "d" => "text", "a" => { "9" => 2, "10" => 1, "01" => 4, "x" => 3 }, "c" => {} }
      expected, = Open3.capture2("node", "-e", script, stdin_data: JSON.generate(ordered))

      assert_equal expected, JS::Npm::HiddenLockfile::JSONText.new.generate(value)
    end

    def test_the_order_of_names_is_that_of_node
      skip "no node" unless NpmTools.runs?("node")

      random = Random.new(7)
      signs = (" "..."\u007f").to_a - [" "]
      names = Array.new(3000) { Array.new(random.rand(1..6)) { signs.sample(random: random) }.join } +
              %w[a-b a_b ab aB Ab AB a.b a/b @a/b @a/B @A/b a b A B]
      script = "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0)).sort((a, b) => " \
               "a.localeCompare(b, 'en'))))"
      sorted, = Open3.capture2("node", "-e", script, stdin_data: JSON.generate(names.uniq))

      assert_equal JSON.parse(sorted), names.uniq.sort_by { |name| JS::Npm::Collation.key(name) }
    end

    private

    def packages(**happened)
      JSON.parse(state(**happened)["node_modules/.package-lock.json"])["packages"]
    end
  end
end
