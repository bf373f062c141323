# frozen_string_literal: true

require_relative "../pnpm_case"

module Spate
  # Names that pnpm 12 itself gave slots of its global virtual store.
  class PnpmGraphHashTest < PnpmCase
    NAME = "@types/sinonjs__fake-timers"
    INTEGRITY = "sha512-Ko2tjWJq8oozHzHV+reuvS5KYIRAokHnGbDwGh/J64LntgpbuylF74ipEL24HCyRjf9FOlBiBHWBR1RlVKsI1w=="

    def setup
      super
      project({ NAME => "15.0.1" }, { "#{NAME}@15.0.1" => {} },
              packages: { "#{NAME}@15.0.1" => { "resolution" => { "integrity" => INTEGRITY } } })
    end

    def test_a_package_that_needs_nothing
      slot = "/store/js/links/#{NAME}/15.0.1/de2821996953dda79c9488c465f7f65b8f22e9cccbc580eff051a97182b60413"
      made = global

      assert_equal ["#{slot}/node_modules/#{NAME}"], made.trees.map(&:path)
      assert_equal ["node_modules/#{NAME}"], made.links.keys
      assert_equal "#{slot}/node_modules/#{NAME}",
                   File.expand_path(made.links.values.first, "#{@root}/node_modules/@types")
    end

    def test_differs_by_what_a_package_needs_and_by_what_may_be_built
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } }, "b@1.0.0" => {} })
      before = slots
      lock({ "." => importer({ "a" => "1.0.0" }) },
           { "a@1.0.0" => { "dependencies" => { "b" => "2.0.0" } }, "b@2.0.0" => {} })

      refute_equal before.first, slots.first
      before = slots
      write("pnpm-workspace.yaml", "allowBuilds: {b: true}\nnodeVersion: 20.0.0\n")

      assert_empty before & slots
    end

    def test_a_version_that_climbs_and_cycles
      project({ "a" => "../../x" }, { "a@../../x" => {} })

      assert_raises(JS::LeftToTool) { global }
      project({ "a" => "1.0.0" }, { "a@1.0.0" => { "dependencies" => { "b" => "1.0.0" } },
                                    "b@1.0.0" => { "dependencies" => { "a" => "1.0.0" } } })

      assert_equal 2, slots.uniq.size
    end

    def test_without_a_store_it_is_pnpms
      write("pnpm-workspace.yaml", "enableGlobalVirtualStore: true\n")

      assert_raises(JS::LeftToTool) { plan }
    end

    private

    def global
      JS::Pnpm.plan(JS::Project.find(@root), Configured.new({}, @env), JS::Options.new(global_virtual_store: true),
                    store_root: "/store")
    end

    def slots = global.trees.map { |tree| tree.path[/\A.*?\h{64}/] }
  end
end
