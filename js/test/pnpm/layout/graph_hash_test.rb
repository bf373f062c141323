# frozen_string_literal: true

require_relative "../pnpm_case"

module Spate
  # The slots of a global virtual store have the same names as those of pnpm 12, which created the expected names.
  class PnpmGraphHashTest < PnpmCase
    NAME = "@types/sinonjs__fake-timers"
    INTEGRITY = "sha512-Ko2tjWJq8oozHzHV+reuvS5KYIRAokHnGbDwGh/J64LntgpbuylF74ipEL24HCyRjf9FOlBiBHWBR1RlVKsI1w=="

    def setup
      super
      project({ NAME => "15.0.1" }, { "#{NAME}@15.0.1" => {} },
              packages: { "#{NAME}@15.0.1" => { "resolution" => { "integrity" => INTEGRITY } } })
    end

    def test_package_without_dependencies
      made = global
      variant = made.trees.first.path[%r{\A/store/links/\h{12}/}]
      slot = "#{variant}#{NAME}/15.0.1/de2821996953dda79c9488c465f7f65b8f22e9cccbc580eff051a97182b60413"

      assert_equal ["#{slot}/node_modules/#{NAME}"], made.trees.map(&:path)
      assert_equal ["node_modules/#{NAME}"], made.links.keys
      assert_equal "#{slot}/node_modules/#{NAME}",
                   File.expand_path(made.links.values.first, "#{@root}/node_modules/@types")
    end

    def test_name_depends_on_dependencies
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} })
      before = slots
      lock({ "." => importer({ "a" => "1.0.0" }) },
           { "a@1.0.0" => { "dependencies" => { "b" => "2.0.0" } }, "b@2.0.0" => {} })

      refute_equal before.first, slots.first
    end

    def test_packages_with_scripts_and_their_dependents_are_not_shared
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                    "b@1.0.0" => { "dependencies" => { "c" => "1.0.0" } }, "c@1.0.0" => {} })
      write("pnpm-workspace.yaml", "allowBuilds: {b: true}\n")
      made = global
      a, b, c = made.trees.map(&:path)

      assert_equal %w[node_modules/.pnpm/a@1.0.0/node_modules/a node_modules/.pnpm/b@1.0.0/node_modules/b], [a, b]
      assert c.start_with?("/store/links/")
      assert_equal ["../../b@1.0.0/node_modules/b", c],
                   [made.links["node_modules/.pnpm/a@1.0.0/node_modules/b"],
                    File.expand_path(made.links["#{File.dirname(b)}/c"], "#{@root}/#{File.dirname(b)}")]
    end

    def test_variants_with_one_graph_are_one_tree
      project({ "a" => "1.0.0(p@1.0.0)", "b" => "1.0.0" },
              { "a@1.0.0(p@1.0.0)" => {}, "a@1.0.0(q@1.0.0)" => {},
                "b@1.0.0" => { "dependencies" => { "a" => "1.0.0(q@1.0.0)" } } })

      assert_equal 2, slots.size
    end

    def test_packages_without_a_digest_are_not_shared
      project({ "a" => "1.0.0" }, { "a@1.0.0" => {} },
              packages: { "a@1.0.0" => { "resolution" => { "tarball" => "https://npm.test/a.tgz" } } })

      assert_raises(JS::LeftToTool) { global }
    end

    def test_the_folder_name_depends_on_settings
      variants = ["", "extendNodePath: false\n", "preferSymlinkedExecutables: true\n", "hoist: false\n",
                  "supportedArchitectures: {os: [win32]}\n"].map do |text|
        write("pnpm-workspace.yaml", text)
        slots.first
      end

      assert_equal variants, variants.uniq
    end

    def test_version_with_a_parent_folder_and_cycles
      project({ "a" => "../../x" }, { "a@../../x" => {} })

      assert_raises(JS::LeftToTool) { global }
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                    "b@1.0.0" => { "dependencies" => { "a" => "1.0.0" } } })

      assert_equal 2, slots.uniq.size
    end

    # a and b depend on each other, and a on c; d depends on b. A different version of c changes the slots of all three.
    def test_name_of_a_cycle_depends_on_all_its_dependencies
      slots = %w[1.0.0 2.0.0].map do |version|
        circle(version)
        global.trees.to_h { |tree| [tree.key, tree.path] }
      end

      %w[a@1.0.0 b@1.0.0 d@1.0.0].each { |key| refute_equal slots.first[key], slots.last[key], key }
      assert_equal slots.last, global.trees.reverse.to_h { |tree| [tree.key, tree.path] }
    end

    def test_cycle_with_a_build_is_not_shared
      circle("1.0.0")
      write("pnpm-workspace.yaml", "allowBuilds: {c: true}\n")

      assert_equal 4, global.trees.count { |tree| tree.path.start_with?("node_modules/.pnpm/") }
    end

    def circle(version)
      project({ "d" => "1.0.0" }, { "d@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                    "a@1.0.0" => { "dependencies" => { "b" => "1.0.0", "c" => version } },
                                    "b@1.0.0" => { "dependencies" => { "a" => "1.0.0" } }, "c@#{version}" => {} })
    end

    def test_without_a_store_it_is_left_to_pnpm
      write("pnpm-workspace.yaml", "enableGlobalVirtualStore: true\n")

      assert_raises(JS::LeftToTool) { plan }
    end

    private

    def global
      JS::Pnpm.plan(JS::Project.find(@root), Configured.new({}, @env), JS::Options.new(global_virtual_store: true),
                    slots: -> { "/store/links" })
    end

    def slots = global.trees.map { |tree| tree.path[/\A.*?\h{64}/] }
  end
end
